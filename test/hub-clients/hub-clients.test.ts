import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HubApi } from '../acceptance/hub-api.ts';
import { startHub, type Hub } from '../acceptance/start-hub.ts';
import { findPythonWithHub } from './find-python.ts';
import { openRecordingProxy, type RecordingProxy } from './recording-proxy.ts';
import { withRouteTable } from './route-table.ts';
import { clientDeadlineMs, runClient, startClient, type ClientProgram } from './run-client.ts';

const script = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Kills of one upload, and of one download, at random offsets. */
const killsOfOne = 3;
const mib = 1024 * 1024;
const isLarge = process.env.HUB_CLIENTS_LARGE === 'yes';
const sizes = [0, 1, 64 * mib - 1, 64 * mib, 64 * mib + 1, ...(isLarge ? [3 * 1024 * mib] : [])];
const pythons = [
  { version: '1.33.0', found: findPythonWithHub('hub-1', '1.33.0') },
  { version: '2.0.0', found: findPythonWithHub('hub-2', '2.0.0') },
];
const javascripts = ['hub-client-newest', 'hub-client-older'].map((name) => ({
  name,
  client: `@huggingface/hub ${versionOf(name)}`,
}));
const [models, dataSets] = ['transformers', 'datasets'].map(
  (name) => `${name} ${pythons[0]!.found?.versions[name]}`,
) as [string, string];
/** In the order of the table. */
const clients = [
  ...pythons.flatMap(({ version }) => [true, false].map((xet) => hubClient(version, xet))),
  ...pythons.map(({ version }) => commandLine(version)),
  models,
  dataSets,
  ...javascripts.map(({ client }) => client),
];
const page = new URL('../../docs/guide/hub-clients.md', import.meta.url);
const absent = 'run npm run hub-clients:install, or name its folder in HUB_CLIENTS';
if (!isLarge) console.warn('hub-clients.test.ts: a file of 3 GiB is skipped: npm run hub-clients:large tries it.');
for (const { version, found } of pythons)
  if (found === undefined) console.warn(`hub-clients.test.ts: huggingface_hub ${version} is skipped: ${absent}.`);

let hub: Hub;
/** One in front of the hub for each client of the table, and more. */
const proxies = new Map<string, Promise<RecordingProxy>>();
let token: string;

beforeAll(async () => {
  hub = await startHub({ environment: { FIRN_ACCESS: 'tokens' } });
  const admin = /hf_[A-Za-z0-9]{44}/.exec(hub.output())![0];
  const json = { name: 'me', grants: ['admin:me'] };
  const made = await new HubApi(hub.url).post('/v1/tokens', json, { authorization: `Bearer ${admin}` });
  expect(made.status).toBe(201);
  token = (JSON.parse(made.bytes.toString()) as { token: string }).token;
}, 330_000);

afterAll(async () => {
  for (const proxy of proxies.values()) await (await proxy).close();
  await hub?.stop();
});

function versionOf(alias: string): string {
  const manifest = readFileSync(new URL(`../../node_modules/${alias}/package.json`, import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

function hubClient(version: string, xet: boolean): string {
  return `huggingface_hub ${version}${xet ? '' : ' without Xet'}`;
}

function commandLine(version: string): string {
  return `hf ${version}`;
}

function proxyOf(client: string): Promise<RecordingProxy> {
  const proxy = proxies.get(client) ?? openRecordingProxy(hub.url);
  proxies.set(client, proxy);
  return proxy;
}

/** A program whose requests count as those of `client`. It runs in a new folder, which `.` names. */
async function programOf(client: string, program: string, xet = true): Promise<ClientProgram> {
  return { program, endpoint: (await proxyOf(client)).url, token, xet };
}

describe.concurrent.each(pythons)('huggingface_hub $version', ({ version, found }) => {
  const run = async (
    name: string,
    xet: boolean,
    args: readonly string[],
    client = hubClient(version, xet),
  ): Promise<string> => runClient(await programOf(client, found!.path, xet), [script(`python/${name}.py`), ...args]);
  const named = (what: string, xet: boolean): string => `me/${what}-${version}-${xet ? 'xet' : 'lfs'}`;
  const hasModels = found?.versions['transformers'] !== undefined && found.versions['accelerate'] !== undefined;
  const hasDataSets = found?.versions['datasets'] !== undefined && version === '1.33.0';
  if (found !== undefined && !hasModels)
    console.warn(`hub-clients.test.ts: transformers with huggingface_hub ${version} is skipped: it is not installed.`);

  for (const xet of [true, false])
    describe.skipIf(found === undefined)(xet ? 'with Xet' : 'without Xet', () => {
      const it = (name: string, scriptName: string, more: readonly string[]): void =>
        test(
          name,
          () => run(scriptName, xet, [named(scriptName, xet), ...more]).then(() => undefined),
          clientDeadlineMs,
        );
      it('creates, commits, lists, branches, tags, moves and deletes', 'repositories', ['.']);
      it('files of sizes at which clients and servers cut come back', 'file_sizes', ['.', ...sizes.map(String)]);
      it('two writers race on one branch: one is refused with 412, and repeats', 'race', ['4']);
      it('single tensors are read by range', 'lazy_tensors', ['.']);
    });

  test.skipIf(found === undefined)(
    'a folder of 500 files comes back',
    async () => {
      await run('many_files', version === '2.0.0', [named('many', true), '.', '500']);
    },
    clientDeadlineMs,
  );

  test.skipIf(found === undefined)(
    'the hf command line uploads, downloads, tags, moves and deletes',
    async () => {
      const hf = found!.path.replace(/python$/, 'hf');
      await runClient(await programOf(commandLine(version), 'bash'), [
        script('command-line.sh'),
        hf,
        `me/command-line-${version}`,
      ]);
    },
    clientDeadlineMs,
  );

  test.skipIf(found === undefined).each([true, false])(
    'uploads and downloads that are killed anywhere are taken up again (Xet: %s)',
    async (xet) => {
      const folder = await mkdtemp(join(tmpdir(), 'firn-killed-'));
      const repository = named('killed', xet);
      // What a killed client asked differs from run to run.
      const proxy = await proxyOf(`${hubClient(version, xet)}, killed`);
      const program = await programOf(`${hubClient(version, xet)}, killed`, found!.path, xet);
      for (const [name, direction, more] of [
        ['push_folder', 'up', ['8000000', '3']],
        ['pull_folder', 'down', []],
      ] as const) {
        const args = [script(`python/${name}.py`), repository, folder, ...more];
        for (let kill = 0; kill < killsOfOne; kill++) {
          const client = await startClient(program, args);
          const killed = proxy.passed(direction, randomInt(1, 16_000_000)).then(() => client.kill());
          await Promise.race([killed, client.done]);
          await client.done;
        }
        await runClient(program, args);
      }
      await rm(folder, { recursive: true });
    },
    clientDeadlineMs,
  );

  test.skipIf(found === undefined || version === '2.0.0')(
    `a large folder comes back${version === '2.0.0' ? ' (skipped: 2.0.0 has no upload_large_folder)' : ''}`,
    async () => {
      await run('large_folder', true, [named('large', true), '.', '40']);
    },
    clientDeadlineMs,
  );

  test.skipIf(!hasModels)(
    'transformers pushes and loads models and tokenizers',
    async () => {
      await run('models', true, [named('model', true)], models);
    },
    clientDeadlineMs,
  );

  test.skipIf(!hasModels)(
    'a Trainer pushes with each hub_strategy, and resumes from what comes back',
    async () => {
      await run('trainer', true, [named('trained', true), '.'], models);
    },
    clientDeadlineMs,
  );

  test.skipIf(!hasDataSets)(
    `datasets pushes and loads${version === '2.0.0' ? ' (skipped: datasets needs huggingface_hub before 2.0)' : ''}`,
    async () => {
      await run('data_sets', true, [named('rows', true)], dataSets);
    },
    clientDeadlineMs,
  );
});

test.concurrent.each(javascripts)(
  '$client walks the hub',
  async ({ name, client }) => {
    const program = await programOf(client, process.execPath);
    await runClient(program, [script('javascript/walk.mjs'), name, program.endpoint, token, `me/${name}`, '.']);
  },
  clientDeadlineMs,
);

describe('the page of clients and routes', () => {
  test('has what the clients asked', async ({ skip }) => {
    const columns = await Promise.all(
      clients.map(async (client) => ({ client, exchanges: (await proxies.get(client))?.exchanges ?? [] })),
    );
    const unasked = columns.filter(({ exchanges }) => exchanges.length === 0).map(({ client }) => client);
    if (unasked.length > 0) skip(`not all clients ran: ${unasked.join(', ')}`);
    const written = await readFile(page, 'utf8');
    const asked = await withRouteTable(written, columns);
    if (process.env.HUB_CLIENTS_PAGE === 'write') await writeFile(page, asked);
    else expect(written, 'run npm run hub-clients').toBe(asked);
  });
});
