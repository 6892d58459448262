import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { thisProcess } from '../catalog/pglite/process-identity.ts';
import { MemoryFolders } from './memory-folders.ts';

let root: string;
let mine: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'firn-memory-'));
  mine = join(root, `firn-${process.getuid!()}`);
});
afterEach(() => rm(root, { recursive: true }));

const open = (bytesMax: number, freeMemory = () => 2 ** 40) => MemoryFolders.open({ bytesMax, root, freeMemory });

test('folders take at most the configured bytes together, and give them back', async () => {
  const memory = (await open(100))!;
  const first = (await memory.take(60))!;
  await writeFile(join(first.directory, 'model'), 'x');
  expect(await memory.take(41)).toBeUndefined();
  const second = (await memory.take(40))!;
  expect(second.directory).not.toBe(first.directory);
  await first.release();
  expect(await memory.take(61)).toBeUndefined();
  expect(await memory.take(60)).toBeDefined();
  await memory.close();
  expect(await readdir(mine)).toEqual([]);
});

test('half of the free memory stays free', async () => {
  const memory = (await open(1000, () => 99))!;
  expect(await memory.take(50)).toBeUndefined();
  // What was refused is not counted.
  expect(await memory.take(49)).toBeDefined();
  await memory.close();
});

test('nothing is taken that the file system has no room for', async () => {
  const memory = (await open(Number.MAX_SAFE_INTEGER, () => Infinity))!;
  expect(await memory.take(2 ** 50)).toBeUndefined();
  await memory.close();
});

test.each([
  ['no bytes are configured', 0, () => undefined],
  [
    'there is no file system in memory',
    1,
    () => rm(root, { recursive: true }).then(() => mkdir(join(root, '..'), { recursive: true })),
  ],
  ['the folder is open to others', 1, () => mkdir(mine).then(() => chmod(mine, 0o755))],
  ['the folder is a link', 1, () => mkdir(join(root, 'x'), { mode: 0o700 }).then(() => symlink(join(root, 'x'), mine))],
])('there is none where %s', async (_, bytesMax, prepare) => {
  await prepare();
  expect(await open(bytesMax)).toBeUndefined();
  await mkdir(root, { recursive: true });
});

test('what a killed process left in memory goes when the next one starts', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  const { pid } = child;
  await once(child, 'exit');
  const left = join(mine, 'process-left');
  await mkdir(join(left, 'files-x'), { recursive: true });
  await chmod(mine, 0o700);
  await writeFile(join(left, 'lock'), JSON.stringify({ ...thisProcess(), pid, token: 'x' }));
  await utimes(left, new Date(0), new Date(0));
  const memory = (await open(1))!;
  expect((await readdir(mine)).filter((name) => name === 'process-left')).toEqual([]);
  await memory.close();
});
