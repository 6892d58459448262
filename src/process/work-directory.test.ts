import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { thisProcess } from '../catalog/pglite/process-identity.ts';
import { openSoleWorkDirectory, openSharedWorkDirectory } from './work-directory.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'firn-work-'));
});
afterEach(() => rm(parent, { recursive: true }));

const longAgo = new Date(0);

test('the only process clears what a killed one left, and keeps what it is told to', async () => {
  await mkdir(join(parent, 'encode-left'));
  await mkdir(join(parent, 'kept', 'x'), { recursive: true });
  const { path, release } = await openSoleWorkDirectory(parent, join(parent, 'kept'));
  await release();
  expect([path, await readdir(parent)]).toEqual([parent, ['kept']]);
  expect(existsSync(join(parent, 'kept', 'x'))).toBe(true);
});

test('a process whose clock is ahead leaves the folders of living processes of other hosts alone', async () => {
  const elsewhere = { ...thisProcess(), machine: 'another host' };
  // A process of another host holds the first folder; a process that is just starting has made the second.
  const locked = join(parent, 'process-locked');
  await mkdir(locked);
  await writeFile(join(locked, 'lock'), JSON.stringify({ ...elsewhere, token: 'x' }));
  await mkdir(join(parent, 'process-starting'));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 });
  try {
    const mine = await openSharedWorkDirectory(parent);
    await mine.release();
    expect((await readdir(parent)).sort()).toEqual(['process-locked', 'process-starting']);
  } finally {
    vi.useRealTimers();
  }
});

test('a file that a killed process left beside the folders prevents no start', async () => {
  const probe = join(parent, 'process-x.now-y');
  await writeFile(probe, '');
  await utimes(probe, longAgo, longAgo);
  await (await openSharedWorkDirectory(parent)).release();
  expect(await readdir(parent)).toEqual(['process-x.now-y']);
});

test('one of many has a folder of its own; those of dead processes go, of living ones and young ones not', async () => {
  const living = await openSharedWorkDirectory(parent);
  await writeFile(join(living.path, 'scratch'), 'x');
  await utimes(living.path, longAgo, longAgo);
  // A dead process: its id belongs to nobody.
  const child = spawn(process.execPath, ['-e', '']);
  const { pid } = child;
  await once(child, 'exit');
  const dead = join(parent, 'process-dead');
  await mkdir(dead);
  await writeFile(join(dead, 'lock'), JSON.stringify({ ...thisProcess(), pid, token: 'x' }));
  await utimes(dead, longAgo, longAgo);
  await mkdir(join(parent, 'process-young'));
  const next = await openSharedWorkDirectory(parent);
  expect(existsSync(dead)).toBe(false);
  expect(existsSync(join(living.path, 'scratch'))).toBe(true);
  expect(existsSync(join(parent, 'process-young'))).toBe(true);
  await next.release();
  await living.release();
  expect(await readdir(parent)).toEqual(['process-young']);
});
