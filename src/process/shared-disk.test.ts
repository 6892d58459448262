import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sharedDisk } from './shared-disk.ts';
import { openFilesystemStore } from '../store/filesystem/filesystem-store.ts';
import { bodyOf } from '../store/body-of.ts';
import { referenceCrc32c } from '../store/object-store.reference.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-shared-disk-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a process that starts leaves the unfinished files of the others, and removes old ones', async () => {
  const open = () => openFilesystemStore({ folder, crc32c: referenceCrc32c, disk: sharedDisk(folder) });
  await mkdir(join(folder, 'tmp'));
  await writeFile(join(folder, 'tmp', 'old'), 'x');
  await utimes(join(folder, 'tmp', 'old'), new Date(0), new Date(0));
  const first = await open();
  const body = (async function* () {
    yield Buffer.from('first');
    expect(await readdir(join(folder, 'tmp'))).toHaveLength(1);
    // Another process starts in the middle of a put.
    await (await open()).put('other', bodyOf(Buffer.from('x')), { sizeMaxBytes: 10 });
    yield Buffer.from('second');
  })();
  expect(await first.put('key', body, { sizeMaxBytes: 100 })).toMatchObject({ sizeBytes: 11 });
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
});
