import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const script = join(repository, 'scripts', 'build-sources.mjs');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'firn-sources-'));
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  for (const name of ['package.json', 'tsconfig.json']) cpSync(join(repository, name), join(root, name));
  write(
    'main.ts',
    "import { one } from './room/one.ts';\nif (process.argv[2] === 'late') await import('./room/late.ts');\n" +
      'console.log(one satisfies number);\n',
  );
  write('room/late.ts', "console.log('late');\n");
  write('cli/demo.ts', "import { one } from '../room/one.ts';\nthrow new Error(`no demo ${one}`);\n");
  write(
    'room/one.ts',
    "import type { Logger } from 'pino';\nexport const one: number = 1;\nexport type Other = Logger;\n",
  );
  write('room/one.test.ts', 'throw new Error();\n');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(name: string, text: string): void {
  const path = join(root, 'src', name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

async function node(...args: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, args);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

const build = () => node(script, root);
const silent = { code: 0, output: '' };
/** Names in dist/, a hash in them replaced. */
const built = () =>
  readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(js|map)$/.test(name))
    .map((name) => name.replace(/-[A-Z0-9]{8}\./, '-HASH.'))
    .sort();
const changedAt = (name: string) => statSync(join(root, 'dist', name)).mtimeMs;
const chunkOf = (name: string) => {
  const found = readdirSync(join(root, 'dist', 'chunks')).filter((each) => each.startsWith(name) && /js$/.test(each));
  expect(found).toHaveLength(1);
  return join(root, 'dist', 'chunks', found[0] ?? '');
};
const compiled = ['chunk-HASH', 'late-HASH'].map((name) => `chunks/${name}`).concat('cli/demo', 'main');
const all = compiled.flatMap((name) => [`${name}.js`, `${name}.js.map`]);

test('each program is a file, what they share and what is loaded late are chunks; tests are left out', async () => {
  expect(await build()).toEqual(silent);
  expect(built()).toEqual(all);
  expect(await node(join(root, 'dist', 'main.js'))).toEqual({ code: 0, output: '1\n' });
  expect(await node(join(root, 'dist', 'main.js'), 'late')).toEqual({ code: 0, output: 'late\n1\n' });
});

test('a stack names the sources', async () => {
  await build();
  const { code, output } = await node('--enable-source-maps', join(root, 'dist', 'cli', 'demo.js'));
  expect(code).toBe(1);
  expect(output).toContain(`Error: no demo 1\n    at <anonymous> (${join(root, 'src', 'cli', 'demo.ts')}:2:7)`);
});

test('a file that would not change is left alone', async () => {
  await build();
  const before = changedAt('main.js');
  expect(await build()).toEqual(silent);
  expect(changedAt('main.js')).toBe(before);
  write('room/one.ts', 'export const one = 2;\n');
  expect(await build()).toEqual(silent);
  expect(await node(join(root, 'dist', 'main.js'))).toEqual({ code: 0, output: '2\n' });
});

test('chunks of older builds stay for an hour, other files go at once', async () => {
  await build();
  const old = chunkOf('late');
  writeFileSync(join(root, 'dist', 'gone.js'), '');
  write('room/late.ts', "console.log('later');\n");
  expect(await build()).toEqual(silent);
  expect(existsSync(old)).toBe(true);
  expect(existsSync(join(root, 'dist', 'gone.js'))).toBe(false);
  const twoHoursAgo = Date.now() / 1000 - 7200;
  utimesSync(old, twoHoursAgo, twoHoursAgo);
  expect(await build()).toEqual(silent);
  expect(existsSync(old)).toBe(false);
  expect(await node(join(root, 'dist', 'main.js'), 'late')).toEqual({ code: 0, output: 'later\n1\n' });
});

test('a file that is missing in dist/ is made again', async () => {
  await build();
  rmSync(join(root, 'dist', 'chunks'), { recursive: true });
  expect(await build()).toEqual(silent);
  expect(built()).toEqual(all);
});

test('a source that does not compile is named, and what was built stays', async () => {
  await build();
  write('main.ts', 'const = 1;\n');
  expect(await build()).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^✘ \[ERROR\] Expected identifier.*\bsrc\/main\.ts:1:6:.*\nsrc\/ does not compile; the reason is above\.\n$/s,
    ),
  });
  expect(await node(join(root, 'dist', 'main.js'))).toEqual({ code: 0, output: '1\n' });
});

test('without the compiler, the message says how to get it', async () => {
  rmSync(join(root, 'node_modules'));
  expect(await build()).toEqual({ code: 1, output: 'The package esbuild is not installed; run npm ci.\n' });
});

test('several may build at once', async () => {
  expect(await Promise.all([build(), build(), build()])).toEqual([silent, silent, silent]);
  expect(built()).toEqual(all);
});
