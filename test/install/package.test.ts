import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const fixture = join(root, 'test', 'fixtures', 'format-v1');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
/** Packing takes seconds, downloading the dependencies most of a minute; a busy machine takes longer. In ms. */
const installDeadlineMs = 400_000;
const startDeadlineMs = 120_000;
const run = promisify(execFile);

let folder: string;
let made: string[];
let firn: string;
/** No variables of the test runner, of npm around it, or of the developer. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([key]) => !/^(FIRN_|npm_|NODE_|VITEST)/.test(key)),
);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-elsewhere-'));
  const { stdout } = await run(process.execPath, [join(root, 'scripts', 'pack.mjs'), join(folder, 'packages')], {
    env: environment,
  });
  made = stdout.trim().split('\n');
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  // An install without a compiler: nothing may be compiled.
  const options = { cwd: folder, env: { ...environment, CXX: '/nowhere/compiler', ...documentedSettings() } };
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...made.slice(0, 2)], options);
  firn = join(folder, 'node_modules', '.bin', 'firn');
}, installDeadlineMs);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the documents say what an install needs where the download of onnxruntime cannot be reached', async () => {
  expect(documentedSettings()).toEqual({ ONNXRUNTIME_NODE_INSTALL: 'skip' });
  const runtime = join(folder, 'node_modules', 'onnxruntime-node');
  const { scripts } = JSON.parse(readFileSync(join(runtime, 'package.json'), 'utf8')) as {
    scripts: { postinstall: string };
  };
  expect(scripts.postinstall).toBe('node ./script/install');
  // Nothing listens on this port, and the script takes its proxy from this variable alone.
  const { ONNXRUNTIME_NODE_INSTALL: _, ...others } = environment;
  const nowhere = { ...others, GLOBAL_AGENT_HTTPS_PROXY: 'http://127.0.0.1:9' };
  const install = (env: NodeJS.ProcessEnv) => run(process.execPath, ['./script/install'], { cwd: runtime, env });
  // On other systems it has nothing to download.
  if (process.platform === 'linux' && process.arch === 'x64')
    await expect(install(nowhere)).rejects.toMatchObject({ code: 1 });
  await install({ ...nowhere, ...documentedSettings() });
});

test('there are three packages: Firn, its native core for this machine, and the TypeScript client', () => {
  const names = made.map((path) => path.slice(path.lastIndexOf('/') + 1));
  expect(names).toEqual([
    `firn-hub-${version}.tgz`,
    expect.stringMatching(new RegExp(`^firn-hub-core-\\w+-\\w+(-\\w+)?-${version}\\.tgz$`)),
    `firn-hub-client-${version}.tgz`,
  ]);
});

test('the package holds what runs and what the native core is compiled from, and nothing else', async () => {
  const files = (
    await readdir(join(folder, 'node_modules', 'firn-hub'), { recursive: true, withFileTypes: true })
  ).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) =>
    join(parentPath, name).slice(join(folder, 'node_modules', 'firn-hub').length + 1),
  );
  expect([...new Set(paths.map((path) => path.split('/')[0]))].sort()).toEqual([
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'migrations',
    'native',
    'openapi',
    'package.json',
    'scripts',
  ]);
  expect(
    paths.filter((path) => /\.test\.|test-support|\.suite\.|built\.json|^native\/(test|bench|fuzz)\//.test(path)),
  ).toEqual([]);
  expect(paths.filter((path) => path.startsWith('scripts/')).sort()).toEqual([
    'scripts/build-native.mjs',
    'scripts/install.mjs',
  ]);
});

test('firn --help and firn --version answer', async () => {
  expect((await run(firn, ['--help'], { env: environment })).stdout).toMatch(/^Usage: firn/);
  expect((await run(firn, ['--version'], { env: environment })).stdout).toBe(`${version}\n`);
});

test('firn unpack rebuilds a file, through the prebuilt native core', async () => {
  const out = join(folder, 'unpacked');
  const { stdout } = await run(firn, ['unpack', join(fixture, 'mixed-0.firn'), '--out', out], { env: environment });
  const [digest, path] = stdout.split('\n')[0]!.split('  ');
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect((await readFile(join(out, path!))).length).toBeGreaterThan(0);
});

test(
  'the server starts, is ready, evaluation processes included, and ends on SIGTERM',
  async () => {
    const env = {
      ...environment,
      FIRN_PORT: '0',
      FIRN_ACCESS: 'open',
      FIRN_DATA_DIR: join(folder, 'data'),
      FIRN_LOG_LEVEL: 'info',
    };
    const child = spawn(firn, [], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const url = await addressOf(child);
      const ready = { process: 'ok', catalog: 'ok', store: 'ok', workers: 'ok', claims: 'ok', evaluation: 'ok' };
      await expect
        .poll(async () => (await fetch(`${url}/readyz`)).json(), { timeout: 60_000, interval: 1100 })
        .toMatchObject({ checks: ready });
      expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  },
  startDeadlineMs,
);

/** Variables that the operators' page exports before `npm install`. */
function documentedSettings(): Record<string, string> {
  const page = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');
  const block = /^```sh\n((?:export .*\n)*)npm install \.\/firn-hub-/m.exec(page)![1]!;
  return Object.fromEntries([...block.matchAll(/^export (\w+)=(\S+)$/gm)].map(([, name, value]) => [name!, value!]));
}

/** The address in the log, which a person who starts it by hand reads. */
async function addressOf(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const found = /"url":"(http:[^"]+)"/.exec(text);
    if (found) {
      child.stdout!.resume();
      return found[1]!;
    }
  }
  throw new Error(`the server ended before it listened: ${text}`);
}
