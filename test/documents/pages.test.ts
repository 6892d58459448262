import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { findPythonWithHub } from '../hub-clients/find-python.ts';
import { PageShell } from './page-shell.ts';
import { shellBlocks } from './shell-blocks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** Deadline of a page, with all its evaluations, on a busy machine, in ms. */
const pageDeadlineMs = 900_000;

interface Page {
  readonly path: string;
  /** Whether the README's blocks run first, in the same shell. */
  readonly afterReadme: boolean;
  /** Parts of the output of the page's blocks. */
  readonly says: readonly RegExp[];
  /** Files that the page's blocks create. */
  readonly makes: readonly string[];
  /** Files of the reader's own: by name, a path of the repository or a text. */
  readonly given?: Readonly<Record<string, { readonly copyOf: string } | { readonly text: string }>>;
  /** Whether its blocks need `hf`. */
  readonly hubClients?: boolean;
}

/** Whether a program that the pages use is installed. */
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
const missing = has('curl') ? '' : ' (skipped: there is no curl)';
if (missing !== '') console.warn(`pages.test.ts: the commands of the pages are not tried${missing}.`);
const withPython = has('python3');
if (!withPython) console.warn('pages.test.ts: scripts in Python are left out, since there is no python3.');

const hub = findPythonWithHub('hub-1', '1.33.0');
if (hub === undefined) console.warn('pages.test.ts: docs/guide/hub.md is not tried, since there is no `hf`.');

const readme: Page = {
  path: 'README.md',
  afterReadme: false,
  says: [/train@900: lossy base/],
  makes: ['back/model.safetensors'],
};

/** Pages of the guide, in the order in which the README names them. */
const pages: readonly Page[] = [
  {
    path: 'docs/guide/training.md',
    afterReadme: true,
    says: [
      /"step":990,.*"state":"ready"/,
      /"missing":\[\{"path":"model\.safetensors"/,
      /"checkpoint":\{"run":"train","step":992,/,
      /^(queued|working|ready)$/m,
      /"run":"train-2",.*"state":"ready"/,
      /"run":"train-2","step":1080,.*"state":"(queued|working|ready)"/,
    ],
    makes: [],
  },
  {
    path: 'docs/guide/pulling.md',
    afterReadme: true,
    says: [/content-length: 1788504/i, /^[0-9a-f]{64} {2}model\.safetensors$/m, /"visibility":"public"/],
    makes: [
      'model.safetensors',
      'half.safetensors',
      'head.bin',
      'embedding.bin',
      'unpacked/model.safetensors',
      'public.safetensors',
    ],
  },
  { path: 'docs/guide/operating.md', afterReadme: false, says: [/write:acme\tci/, /"items":\[/], makes: [] },
  {
    path: 'docs/guide/api.md',
    afterReadme: true,
    says: [/"code":"not-found"/, /"items":\[/, /"passed":true/],
    makes: ['firn.json'],
  },
  {
    path: 'docs/guide/cli.md',
    afterReadme: true,
    says: [
      /terminal@900: lossy base/,
      /^900\tready\tbase\tlossy\t.*% of 0\.5 %\tresidual: step/m,
      /^outcome\tlossy base/m,
      /^wte\t\d+\t[\d.]+ %\t/m,
      /again\tready\t/,
      /trainer@970: lossy base/,
      /^two\t900\tready\tbase\tlossy\t.*% of 2 %/m,
      /^stored, all of these\t\d+$/m,
      /me\/tiny-gpt\/two is deleted/,
      /terminal-2: lossy; .*forked from terminal@900; open/,
      /terminal: lossy; .*closed: it takes no new steps/,
      /^hf_\w+$/m,
      /^native core\tok\tinstruction set/m,
      /^complete -o default -F _firn firn$/m,
    ],
    makes: ['half/model.safetensors'],
  },
  {
    path: 'docs/guide/eval-sets.md',
    afterReadme: true,
    given: {
      'graph.onnx': { copyOf: 'examples/lm-small/model.onnx' },
      'batches.safetensors': { copyOf: 'examples/lm-small/eval.safetensors' },
      'model.safetensors': { copyOf: 'examples/lm-small/ckpt_09.safetensors' },
      'checkpoint-folder/model.safetensors': { copyOf: 'examples/lm-small/ckpt_09.safetensors' },
      'spec.json': {
        text: JSON.stringify({
          inputs: { idx: 'inputs' },
          metrics: [{ name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'labels' }],
        }),
      },
    },
    says: [
      /^baseline: loss 4\.59/m,
      /the eval set validation is ready, with loss/,
      /me\/tiny-gpt\/validated: lossy; measured on validation/,
      /the eval set checked is ready/,
      /me\/tiny-gpt\/validated: lossy; measured on checked/,
    ],
    makes: [],
  },
  { path: 'docs/guide/clients.md', afterReadme: false, says: [], makes: [] },
  { path: 'docs/guide/page.md', afterReadme: false, says: [], makes: [] },
  {
    path: 'docs/guide/webhooks.md',
    afterReadme: true,
    says: [
      /posts checkpoint\.ready, checkpoint\.failed of me to https:\/\/ci\.example\/firn/,
      /^whsec_\S+$/m,
      /^[0-9a-f]{32}\tme\thttps:/m,
      /^\d+\tping\t/m,
      /is deleted/,
    ],
    makes: [],
  },
  {
    path: 'docs/guide/hub.md',
    afterReadme: true,
    says: [/"fidelity":"lossy"/, /default-2@930: lossy base/],
    makes: ['exact', 'compressed', 'uploaded'].map((folder) => `${folder}/model.safetensors`),
    hubClients: true,
  },
  {
    path: 'docs/guide/tasks.md',
    afterReadme: true,
    says: [
      /tasks@970: lossy base/,
      /^970\tready\tbase\tlossy\t/m,
      /^bytes\t[\d.]+ \w+\t[\d.]+ \w+$/m,
      /^ratio\t[\d.]+x\t[\d.]+x$/m,
      /^wide\t970\tready\t/m,
      /^outcome\tlossy base/m,
      /me\/tiny-gpt\/wide is deleted/,
      /^hf_\w+$/m,
    ],
    makes: ['pulled/model.safetensors'],
  },
];

/** Tests and files for the blocks that do not run here. */
const elsewhere: readonly (readonly [begin: string, by: string])[] = [
  ['npm ci && npm run demo', '.ci/on-node'],
  ['export FIRN_S3_BUCKET', 'test/acceptance/bucket.test.ts'],
  ['export FIRN_DATABASE_URL', 'test/crash/many-processes.test.ts'],
  ['import firn', 'test/python-client.test.ts'],
  ['delta = firn.pull_delta', 'test/python-client.test.ts'],
  ['npx firn retry', 'test/client/command-line.test.ts'],
  ['npm run demo -- --open', 'test/page/demo-stays-open.test.ts'],
  ['pip install ./clients/python-api', 'test/python-api/python-api.test.ts'],
  ['import firn_api', 'test/python-api/python-api.test.ts'],
  ['npx firn eval-set make', 'src/cli/eval-set/make.test.ts'],
  ['export WEBHOOK_SECRET', 'test/acceptance/webhooks.test.ts'],
  ['FIRN_WEBHOOKS_PRIVATE=on', 'test/acceptance/webhooks.test.ts'],
  ['npx openapi-typescript', 'src/http/openapi-text.test.ts'],
];

/** A folder that looks like a clone, and the shell of a reader in it. */
interface Sitting {
  readonly directory: string;
  readonly shell: PageShell;
}

/** The sitting in which the README was read: its server and its variables serve all pages that follow it. */
let readmeSitting: Promise<Sitting> | undefined;
const sittings: Sitting[] = [];
afterAll(async () => {
  for (const { directory, shell } of sittings) {
    await shell.close();
    rmSync(directory, { recursive: true, force: true });
  }
});

async function sitDown(): Promise<Sitting> {
  const directory = mkdtempSync(join(tmpdir(), 'firn-pages-'));
  // The simplest shell: others understand everything that it does.
  const shell = await PageShell.open(directory, { program: 'sh', programs: hub && dirname(hub.path) });
  const sitting = { directory, shell };
  sittings.push(sitting);
  return sitting;
}

/** Runs the page's blocks; what they print, and the files that they should have made and have not. */
async function readPage(
  { path, makes, given = {} }: Page,
  { directory, shell }: Sitting,
): Promise<{ said: string; missingFiles: string[] }> {
  for (const [name, source] of Object.entries(given)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), 'text' in source ? source.text : readFileSync(join(root, source.copyOf)));
  }
  // A page before it may have left a file of the same name.
  for (const name of makes) rmSync(join(directory, name), { force: true });
  let said = '';
  for (const block of shellBlocks(read(path)))
    if (withPython || block.language !== 'python') said += await shell.run(block);
  return { said, missingFiles: makes.filter((name) => !existsSync(join(directory, name))) };
}

async function readReadme(): Promise<Sitting> {
  const sitting = await sitDown();
  const { said, missingFiles } = await readPage(readme, sitting);
  for (const words of readme.says) expect(said).toMatch(words);
  expect(missingFiles).toEqual([]);
  await sitting.shell.skipNpx();
  return sitting;
}

test.skipIf(missing !== '')(
  `the commands of README.md work as they stand there, in order${missing}`,
  async () => {
    await (readmeSitting ??= readReadme());
  },
  pageDeadlineMs,
);

// The README's blocks run once. The pages after it run in the reverse of the order in which the README names them, so
// that none comes to need what an earlier one left.
const tried = pages.filter(({ hubClients }) => hubClients !== true || hub !== undefined).reverse();
test.skipIf(missing !== '').each(tried)(
  `the commands of $path work as they stand there, in order${missing}`,
  async (page) => {
    const sitting = page.afterReadme ? await (readmeSitting ??= readReadme()) : await sitDown();
    const { said, missingFiles } = await readPage(page, sitting);
    for (const words of page.says) expect(said).toMatch(words);
    expect(missingFiles).toEqual([]);
  },
  pageDeadlineMs,
);

const documents = [
  'README.md',
  ...['training', 'pulling', 'operating', 'api', 'cli', 'hub', 'tasks', 'eval-sets', 'webhooks', 'clients', 'page'].map(
    (name) => `docs/guide/${name}.md`,
  ),
];

test.each(documents.filter((path) => existsSync(join(root, path))))(
  '%s is tried, and every block that is not tried here is tried elsewhere',
  (path) => {
    expect([readme, ...pages].map((page) => page.path)).toContain(path);
    for (const { kind, text } of shellBlocks(read(path))) {
      if (kind !== 'elsewhere') continue;
      const by = elsewhere.find(([begin]) => text.replace(/^python3 - .*\n/, '').startsWith(begin))?.[1];
      expect(by, text).toBeDefined();
      expect(existsSync(join(root, by!)), by).toBe(true);
    }
  },
);

test.each(documents.filter((path) => existsSync(join(root, path))))(
  '%s needs nothing of a shell that some lack',
  (path) => {
    for (const { text } of shellBlocks(read(path))) {
      // An interactive zsh accepts comments only if configured. stat, sed and similar commands differ between systems.
      expect(text).not.toMatch(/(^|\s)#/m);
      expect(text).not.toMatch(/(^|[|;&(\s])(stat|sed|readlink|date|seq|mktemp|sha256sum|jq)\s/m);
      expect(text).not.toMatch(/\[\[|\bfunction\s|<\(|\$'|(^|\s)local\s/m);
      expect(text).not.toMatch(/&\s*$/m);
    }
  },
);
