import { spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bodyOf } from '../body-of.ts';
import type { Disk } from './disk.ts';
import { fileNameOf, keyOf, shardOf } from './filesystem-path.ts';
import { openFilesystemStore } from './filesystem-store.ts';
import { patternBytes, referenceCrc32c } from '../object-store.reference.ts';
import { describeObjectStore } from '../object-store.suite.ts';

const folders: string[] = [];
async function newFolder(): Promise<string> {
  const folder = await fs.mkdtemp(path.join(tmpdir(), 'firn-store-'));
  folders.push(folder);
  return folder;
}
const removeFolders = async (): Promise<void> => {
  for (const folder of folders.splice(0)) await fs.rm(folder, { recursive: true });
};

describeObjectStore('filesystem', async () => {
  const folder = await fs.mkdtemp(path.join(tmpdir(), 'firn-store-'));
  const store = await openFilesystemStore({ folder, crc32c: referenceCrc32c });
  const pathOf = (key: string): string => path.join(folder, 'objects', shardOf(key), fileNameOf(key));
  return {
    store,
    readStored: (key) => fs.readFile(pathOf(key)),
    writeStored: (key, bytes) => fs.writeFile(pathOf(key), bytes),
    leftovers: () => fs.readdir(path.join(folder, 'tmp')),
    abandonPut: () => fs.writeFile(path.join(folder, 'tmp', 'abandoned'), 'half'),
    close: async () => {
      await store.close();
      await fs.rm(folder, { recursive: true });
    },
  };
});

/** A disk whose `failing`-th call fails with `code`; calls of handles and of the folder count alike. */
function failingDisk(code: string, failing: number): { disk: Disk; calls: () => number } {
  let calls = 0;
  const guard =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (calls++ === failing) throw Object.assign(new Error(`${code}: made to fail`), { code });
      return work(...args);
    };
  const open = async (...args: Parameters<typeof fs.open>): Promise<fs.FileHandle> => {
    const handle = await fs.open(...args);
    handle.write = guard(handle.write.bind(handle) as never) as never;
    handle.sync = guard(handle.sync.bind(handle));
    return handle;
  };
  return {
    disk: { ...fs, open: guard(open), link: guard(fs.link), rename: guard(fs.rename) } as Disk,
    calls: () => calls,
  };
}

describe('filesystem store', () => {
  afterEach(removeFolders);

  it('leaves unfinished files of other processes at an open, and removes old ones', async () => {
    const folder = await newFolder();
    const temporary = path.join(folder, 'tmp');
    const open = () => openFilesystemStore({ folder, unfinishedKeptMs: 3600_000, crc32c: referenceCrc32c });
    await fs.mkdir(temporary);
    await fs.writeFile(path.join(temporary, 'old'), 'x');
    await fs.utimes(path.join(temporary, 'old'), new Date(0), new Date(0));
    const first = await open();
    const body = (async function* () {
      yield Buffer.from('first');
      expect(await fs.readdir(temporary)).toHaveLength(1);
      // Another process, whose clock is a day ahead, opens the store during a put.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 3600_000 });
      await (
        await open()
      )
        .put('other', bodyOf(Buffer.from('x')), { sizeMaxBytes: 10 })
        .finally(() => vi.useRealTimers());
      yield Buffer.from('second');
    })();
    expect(await first.put('key', body, { sizeMaxBytes: 100 })).toMatchObject({ sizeBytes: 11 });
    expect(await fs.readdir(temporary)).toEqual([]);
  });

  it('removes every unfinished file at an open where no other process has the folder', async () => {
    const folder = await newFolder();
    await fs.mkdir(path.join(folder, 'tmp'));
    await fs.writeFile(path.join(folder, 'tmp', 'young'), 'x');
    await openFilesystemStore({ folder, crc32c: referenceCrc32c });
    expect(await fs.readdir(path.join(folder, 'tmp'))).toEqual([]);
  });

  it.each(['ENOSPC', 'EDQUOT', 'EFBIG'])(
    'says storage-full on %s at any call of a put, and leaves nothing',
    async (code) => {
      const folder = await newFolder();
      await openFilesystemStore({ folder, crc32c: referenceCrc32c });
      // Two writes of content, one of the tail, sync, link, the folder's sync, and the opens: the loop ends with the
      // first put that meets no failure.
      for (let failing = 0, done = false; !done; failing++) {
        expect(failing).toBeLessThan(20);
        const armed = failingDisk(code, -1);
        const store = await openFilesystemStore({ folder, crc32c: referenceCrc32c, disk: armed.disk });
        const { disk, calls } = failingDisk(code, armed.calls() + failing);
        const failingStore = await openFilesystemStore({ folder, crc32c: referenceCrc32c, disk });
        const put = failingStore.put('full/object', bodyOf(patternBytes(1_500_000)), { sizeMaxBytes: 1 << 30 });
        const outcome = await put.then(
          () => 'stored',
          (err: { code: string }) => err.code,
        );
        done = outcome === 'stored' && calls() <= armed.calls() + failing;
        expect(outcome).toBe(done ? 'stored' : 'storage-full');
        expect(await fs.readdir(path.join(folder, 'tmp'))).toEqual([]);
        // Only a failure after the link may leave the object, and then the whole object.
        const left = await store.stat('full/object');
        if (left !== undefined) {
          expect(left.sizeBytes).toBe(1_500_000);
          await store.delete('full/object');
        }
      }
    },
  );

  it('says storage-full on a disk that is really full, and works again once there is room', async (ctx) => {
    const folder = await newFolder();
    const mounted = await new Promise<boolean>((resolve) => {
      spawn('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' })
        .on('error', () => resolve(false))
        .on('exit', (status) => resolve(status === 0));
    });
    if (!mounted) ctx.skip('a small tmpfs cannot be mounted here');
    try {
      const store = await openFilesystemStore({ folder, crc32c: referenceCrc32c });
      const fits = patternBytes(2 << 20);
      await store.put('a/one', bodyOf(fits), { sizeMaxBytes: 1 << 30 });
      await expect(store.put('a/two', bodyOf(fits, fits), { sizeMaxBytes: 1 << 30 })).rejects.toMatchObject({
        code: 'storage-full',
      });
      expect(await store.stat('a/two')).toBeUndefined();
      expect(await fs.readdir(path.join(folder, 'tmp'))).toEqual([]);
      await store.delete('a/one');
      await store.put('a/two', bodyOf(fits), { sizeMaxBytes: 1 << 30 });
    } finally {
      await new Promise((resolve) => spawn('umount', [folder]).on('exit', resolve));
    }
  });

  it('removes what a dead process left when it opens, and keeps the objects', async () => {
    const folder = await newFolder();
    const first = await openFilesystemStore({ folder, crc32c: referenceCrc32c });
    await first.put('kept/object', bodyOf(Buffer.from('kept')), { sizeMaxBytes: 10 });
    await fs.writeFile(path.join(folder, 'tmp', 'orphan'), 'half an object');
    await fs.writeFile(path.join(folder, 'objects', '00', '.stranger'), 'not ours');
    const second = await openFilesystemStore({ folder, crc32c: referenceCrc32c });
    expect(await fs.readdir(path.join(folder, 'tmp'))).toEqual([]);
    const keys: string[] = [];
    for await (const { key } of second.list('')) keys.push(key);
    expect(keys).toEqual(['kept/object']);
  });

  it('tells the system which file will not be read soon, and reads it all the same', async () => {
    const folder = await newFolder();
    const forgotten: number[] = [];
    const forgetFile = async (descriptor: number): Promise<void> => {
      forgotten.push(descriptor);
      throw new Error('no such hint');
    };
    const store = await openFilesystemStore({ folder, crc32c: referenceCrc32c, forgetFile });
    await store.put('a/one', bodyOf(Buffer.from('kept')), { sizeMaxBytes: 10 });
    const reader = await store.open('a/one');
    await reader.forget!();
    expect(forgotten).toEqual([expect.any(Number)]);
    expect(Buffer.from(await reader.read(0, 4)).toString()).toBe('kept');
    await reader.close();
  });

  it('has every acknowledged object whole after a kill at any moment', async () => {
    const folder = await newFolder();
    for (const acknowledged of [3, 11]) {
      const child = spawn(
        process.execPath,
        [
          '--import',
          'tsx',
          new URL('./filesystem-store.crash.ts', import.meta.url).pathname,
          folder,
          `round-${acknowledged}`,
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const keys: string[] = [];
      for await (const key of createInterface({ input: child.stdout })) {
        keys.push(key);
        if (keys.length === acknowledged) child.kill('SIGKILL');
      }
      expect(keys.length).toBeGreaterThanOrEqual(acknowledged);
      const store = await openFilesystemStore({ folder, crc32c: referenceCrc32c });
      expect(await fs.readdir(path.join(folder, 'tmp'))).toEqual([]);
      const present = new Set<string>();
      for await (const { key } of store.list(`round-${acknowledged}/`)) {
        present.add(key);
        const reader = await store.open(key);
        expect(patternBytes(reader.sizeBytes, 5).equals(await reader.read(0, reader.sizeBytes))).toBe(true);
        await reader.close();
      }
      for (const key of keys) expect(present.has(key)).toBe(true);
    }
  });
});

describe('file names', () => {
  it('spell their keys', () => {
    for (const key of ['a', 'staged/0f3e/9a', 'A/b.C-d_E', 'x'.repeat(120), 'Z'.repeat(120)]) {
      expect(keyOf(fileNameOf(key))).toBe(key);
      expect(fileNameOf(key)).toMatch(/^[a-z0-9._+^-]{1,255}$/);
    }
    for (const name of ['', '.', '..', '.hidden', 'A', 'a+', '+a', 'a++b', 'a^', 'a/b', 'a b'])
      expect(keyOf(name)).toBeUndefined();
  });
});
