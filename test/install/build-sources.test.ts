import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
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
  write('main.ts', "import { one } from './room/one.ts';\nconsole.log(one satisfies number);\n");
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
const built = () => readdirSync(join(root, 'dist'), { recursive: true }).sort();
const changedAt = (name: string) => statSync(join(root, 'dist', name)).mtimeMs;

test('what comes out runs, without tests, with maps that name the sources', async () => {
  expect(await build()).toEqual(silent);
  expect(built()).toEqual(['built.json', 'main.js', 'main.js.map', 'room', 'room/one.js', 'room/one.js.map']);
  expect(await node(join(root, 'dist', 'main.js'))).toEqual({ code: 0, output: '1\n' });
  expect(JSON.parse(readFileSync(join(root, 'dist', 'room', 'one.js.map'), 'utf8'))).toMatchObject({
    sources: ['../../src/room/one.ts'],
  });
});

test('only what has changed is compiled, and what has gone goes', async () => {
  write('gone.ts', 'export {};\n');
  await build();
  const before = ['main.js', 'room/one.js'].map(changedAt);
  expect(await build()).toEqual(silent);
  expect(['main.js', 'room/one.js'].map(changedAt)).toEqual(before);
  write('room/one.ts', 'export const one = 2;\n');
  rmSync(join(root, 'src', 'gone.ts'));
  expect(await build()).toEqual(silent);
  expect(changedAt('main.js')).toBe(before[0]);
  expect(await node(join(root, 'dist', 'main.js'))).toEqual({ code: 0, output: '2\n' });
  expect(existsSync(join(root, 'dist', 'gone.js'))).toBe(false);
});

test('a file that is missing in dist/, or other options, are a reason to compile', async () => {
  await build();
  rmSync(join(root, 'dist', 'room'), { recursive: true });
  expect(await build()).toEqual(silent);
  expect(built()).toContain('room/one.js');
  const before = changedAt('main.js');
  writeFileSync(
    join(root, 'tsconfig.json'),
    readFileSync(join(root, 'tsconfig.json'), 'utf8').replace('"strict": true', '"strict": false'),
  );
  expect(await build()).toEqual(silent);
  expect(changedAt('main.js')).toBeGreaterThan(before);
});

test('a source that does not compile is named, and what was built stays', async () => {
  await build();
  write('main.ts', 'const = 1;\n');
  expect(await build()).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^src\/main\.ts\(1,7\): error TS\d+.*\nsrc\/ does not compile; the reason is above\.\n$/s,
    ),
  });
  expect(await node(join(root, 'dist', 'main.js'))).toEqual({ code: 0, output: '1\n' });
});

test('without the compiler, the message says how to get it', async () => {
  rmSync(join(root, 'node_modules'));
  expect(await build()).toEqual({ code: 1, output: 'The package typescript is not installed; run npm ci.\n' });
});

test('several may build at once', async () => {
  expect(await Promise.all([build(), build(), build()])).toEqual([silent, silent, silent]);
  expect(built()).toHaveLength(6);
});
