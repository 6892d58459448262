import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** File systems take times from a clock that ticks every few milliseconds. */
const clockTickMs = 20;

const script = fileURLToPath(new URL('../../scripts/build-stamp.mjs', import.meta.url));

interface Stamp {
  sourcesDigest(): string;
  isStamped(): boolean;
  writeStamp(digest: string): void;
}

let root: string;
let stamp: Stamp;

function write(name: string, text = name): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'firn-stamp-'));
  for (const name of [
    'src/main.ts',
    'src/main.test.ts',
    'clients/typescript/src/push.ts',
    'native/src/core.cpp',
    'native/test/core-test.cpp',
    'tsconfig.json',
    'package-lock.json',
    'dist/main.js',
    'dist/empty-database.json',
    'build/Release/firn_core.node',
  ])
    write(name);
  mkdirSync(join(root, 'scripts'));
  copyFileSync(script, join(root, 'scripts', 'build-stamp.mjs'));
  stamp = (await import(pathToFileURL(join(root, 'scripts', 'build-stamp.mjs')).href)) as Stamp;
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a clone is stamped only after a build', () => {
  expect(stamp.isStamped()).toBe(false);
  stamp.writeStamp(stamp.sourcesDigest());
  expect(stamp.isStamped()).toBe(true);
});

test.each([
  ['a source of the same size and time changes', () => writeAtSameTime('src/main.ts', 'SRC/MAIN.TS')],
  ['a source of the core changes', () => write('native/src/core.cpp', 'int x;')],
  ['a source is added', () => write('src/new/more.ts')],
  ['a source is deleted', () => rmSync(join(root, 'clients/typescript/src/push.ts'))],
  ['the compiled files are deleted', () => rmSync(join(root, 'dist'), { recursive: true })],
  ['the native core is replaced', () => write('build/Release/firn_core.node', 'another one')],
])('a build is due when %s', async (_, change) => {
  stamp.writeStamp(stamp.sourcesDigest());
  await pause(clockTickMs);
  change();
  expect(stamp.isStamped()).toBe(false);
});

test('a source that changes during a build makes another build due', () => {
  const digest = stamp.sourcesDigest();
  write('src/main.ts', 'changed while it was compiled');
  stamp.writeStamp(digest);
  expect(stamp.isStamped()).toBe(false);
});

test('tests are not part of what is built', () => {
  stamp.writeStamp(stamp.sourcesDigest());
  write('src/main.test.ts', 'another test');
  write('native/test/core-test.cpp', 'another test');
  expect(stamp.isStamped()).toBe(true);
});

/** Leaves the file's modification time as it was, as a copying tool may do. */
function writeAtSameTime(name: string, text: string): void {
  const { atime, mtime } = statSync(join(root, name));
  write(name, text);
  utimesSync(join(root, name), atime, mtime);
}
