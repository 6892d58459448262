import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, open as openFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { patternBytes, referenceCrc32c } from '../../store/object-store.reference.ts';
import type { OpenedFile } from '../opened-file.ts';
import { decodedChunkBytes } from './decoded-entry.ts';
import { DecodedFiles, type DecodableFile, type DecodedFilesOptions } from './decoded-files.ts';

const sizeBytes = 3 * decodedChunkBytes + 17;
const pieceBytes = 100_000;

let directory: string;
const failures: unknown[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-decoded-'));
  failures.length = 0;
});
const caches: DecodedFiles[] = [];
afterEach(async () => {
  for (const cache of caches.splice(0)) await cache.close();
  await rm(directory, { recursive: true, force: true });
});

async function openCache(options: Partial<DecodedFilesOptions> = {}): Promise<DecodedFiles> {
  const cache = await DecodedFiles.open({
    directory,
    bytesMax: 10 * sizeBytes,
    crc32c: referenceCrc32c,
    freeBytes: async () => 2 ** 40,
    onFailure: (error) => failures.push(error),
    ...options,
  });
  caches.push(cache);
  return cache;
}

/** A file that counts how often all of it is decoded. A closed gate holds decoding back behind the first piece. */
function source(id: string, { damagedAt = Infinity, bytes = patternBytes(sizeBytes) } = {}) {
  const file: DecodableFile = {
    id,
    sizeBytes,
    sha256: createHash('sha256').update(patternBytes(sizeBytes)).digest('hex'),
  };
  const counts = { whole: 0, opened: 0, closed: 0, stopped: 0 };
  let openGate = (): void => undefined;
  let gate: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  async function* stream(start: number, end: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    if (start === 0 && end === sizeBytes) counts.whole++;
    for (let at = start; at < end; at += pieceBytes) {
      if (at > start) await gate;
      if (signal?.aborted === true) {
        counts.stopped++;
        throw new FirnError('cancelled', 'Stopped.');
      }
      if (at >= damagedAt) throw new FirnError('corrupt-package', 'Damaged.');
      yield bytes.subarray(at, Math.min(end, at + pieceBytes));
    }
  }
  const open = async (): Promise<OpenedFile> => {
    counts.opened++;
    return {
      sizeBytes,
      stream,
      close: async () => {
        await closing;
        counts.closed++;
      },
    };
  };
  const holdClosing = (): (() => void) => {
    let release = (): void => undefined;
    closing = new Promise((resolve) => (release = resolve));
    return release;
  };
  const hold = (): (() => void) => {
    gate = new Promise((resolve) => (openGate = resolve));
    return openGate;
  };
  return { file, counts, open, hold, holdClosing };
}

type Source = ReturnType<typeof source>;

async function read(cache: DecodedFiles, { file, open }: Source, start = 0, end = sizeBytes): Promise<Buffer> {
  const opened = await cache.openFile(file, open);
  try {
    const pieces: Uint8Array[] = [];
    for await (const piece of opened.stream(start, end)) pieces.push(piece);
    return Buffer.concat(pieces);
  } finally {
    await opened.close();
  }
}

describe('decoded files', () => {
  it('are decoded once for eight readers, who come before, while and after it is written', async () => {
    const cache = await openCache();
    const a = source('a');
    const release = a.hold();
    const early = Array.from({ length: 4 }, () => read(cache, a));
    await new Promise(setImmediate);
    const later = Array.from({ length: 3 }, () => read(cache, a));
    await new Promise(setImmediate);
    release();
    const all = [...(await Promise.all([...early, ...later])), await read(cache, a)];
    for (const bytes of all) expect(bytes.equals(patternBytes(sizeBytes))).toBe(true);
    expect(a.counts.whole).toBe(1);
    expect(a.counts.closed).toBe(a.counts.opened);
    expect(cache.state()).toMatchObject({ hits: 7, misses: 1, usedBytes: sizeBytes });
  });

  it('give every range of a whole entry without decoding', async () => {
    const cache = await openCache();
    const a = source('a');
    await read(cache, a);
    const { opened } = a.counts;
    await fc.assert(
      fc.asyncProperty(fc.nat(sizeBytes), fc.nat(sizeBytes), async (one, other) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other)];
        expect((await read(cache, a, start, end)).equals(patternBytes(sizeBytes).subarray(start, end))).toBe(true);
      }),
      { numRuns: 60 },
    );
    expect(a.counts.opened).toBe(opened);
  });

  it('stay when their only reader has the last byte before the packages are closed', async () => {
    const cache = await openCache();
    const a = source('a');
    const release = a.holdClosing();
    const opened = await cache.openFile(a.file, a.open);
    for await (const piece of opened.stream(0, sizeBytes)) expect(piece.length).toBeGreaterThan(0);
    release();
    await opened.close();
    await new Promise(setImmediate);
    expect((await read(cache, a)).equals(patternBytes(sizeBytes))).toBe(true);
    expect(a.counts.whole).toBe(1);
    expect(cache.state()).toMatchObject({ hits: 1, usedBytes: sizeBytes });
  });

  it('are filled to the end for a reader of more than half of them', async () => {
    const cache = await openCache();
    const a = source('a');
    await read(cache, a, 0, Math.ceil(sizeBytes / 2));
    await expect.poll(async () => (await cache.openFile(a.file, a.open)).isCached).toBe(true);
    expect((await read(cache, a)).equals(patternBytes(sizeBytes))).toBe(true);
    expect(a.counts.whole).toBe(1);
  });

  it('are not made for a small range', async () => {
    const cache = await openCache();
    const a = source('a');
    expect((await read(cache, a, 5, 105)).equals(patternBytes(sizeBytes).subarray(5, 105))).toBe(true);
    expect([a.counts.whole, cache.state().usedBytes]).toEqual([0, 0]);
  });

  it('go on for the others when one reader leaves, and stop when the last one does', async () => {
    const cache = await openCache();
    const a = source('a');
    const release = a.hold();
    const leaving = await cache.openFile(a.file, a.open);
    const left = new AbortController();
    const bytes = leaving.stream(0, sizeBytes, left.signal)[Symbol.asyncIterator]();
    const first = bytes.next();
    const staying = read(cache, a);
    await new Promise(setImmediate);
    left.abort();
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    release();
    expect((await staying).equals(patternBytes(sizeBytes))).toBe(true);
    expect([a.counts.whole, a.counts.stopped]).toEqual([1, 0]);

    const b = source('b');
    const releaseB = b.hold();
    const only = await cache.openFile(b.file, b.open);
    const gone = new AbortController();
    const asked = only.stream(0, sizeBytes, gone.signal)[Symbol.asyncIterator]().next();
    await new Promise(setImmediate);
    gone.abort();
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    releaseB();
    await cache.close();
    expect(cache.state().usedBytes).toBe(0);
    expect(failures).toEqual([]);
  });

  it('are dropped least recently used first, but never while they are read', async () => {
    const cache = await openCache({ bytesMax: 2 * sizeBytes });
    const [a, b, c] = [source('a'), source('b'), source('c')];
    await read(cache, a);
    await read(cache, b);
    const slow = await cache.openFile(a.file, a.open);
    const bytes = slow.stream(0, sizeBytes)[Symbol.asyncIterator]();
    const got = [(await bytes.next()).value as Uint8Array];
    await read(cache, c);
    expect(cache.state()).toMatchObject({ evictions: 1, usedBytes: 2 * sizeBytes });
    for (let next = await bytes.next(); next.done !== true; next = await bytes.next()) got.push(next.value);
    expect(Buffer.concat(got).equals(patternBytes(sizeBytes))).toBe(true);
    await read(cache, b);
    expect([a.counts.whole, b.counts.whole, c.counts.whole]).toEqual([1, 2, 1]);
  });

  it('do not outgrow the bound: a file that has no room is served without the cache', async () => {
    const cache = await openCache({ bytesMax: sizeBytes - 1 });
    const a = source('a');
    expect((await read(cache, a)).equals(patternBytes(sizeBytes))).toBe(true);
    expect([cache.state().usedBytes, await readdir(directory)]).toEqual([0, []]);
  });

  it('are never kept when the package is damaged in the middle; every reader gets the error', async () => {
    const cache = await openCache();
    const a = source('a', { damagedAt: 4 * pieceBytes });
    for (const outcome of await Promise.allSettled([read(cache, a), read(cache, a)]))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'corrupt-package' } });
    await cache.close();
    expect([cache.state().usedBytes, existsSync(directory), a.counts.closed]).toEqual([0, false, a.counts.opened]);
  });

  it('are never kept when their digest is another', async () => {
    const cache = await openCache();
    const bytes = Buffer.from(patternBytes(sizeBytes));
    bytes[sizeBytes - 1]! ^= 1;
    const a = source('a', { bytes });
    await read(cache, a);
    await cache.close();
    expect(failures).toMatchObject([{ code: 'corrupt-package' }]);
    expect(cache.state().usedBytes).toBe(0);
  });

  it.each([
    ['has no room', { freeBytes: async (): Promise<number> => sizeBytes }, async (): Promise<void> => undefined],
    ['fails', {}, (): Promise<void> => rm(directory, { recursive: true })],
  ])('are served without the cache when the disk %s', async (_, options, before) => {
    const cache = await openCache(options);
    await before();
    const a = source('a');
    expect((await read(cache, a)).equals(patternBytes(sizeBytes))).toBe(true);
    await cache.close();
    expect(failures).toHaveLength(1);
    expect(cache.state().usedBytes).toBe(0);
  });

  it('with a flipped bit on disk are rebuilt, and no reader sees the bit', async () => {
    const cache = await openCache();
    const a = source('a');
    await read(cache, a);
    const [name] = await readdir(directory);
    const file = await openFile(join(directory, name!), 'r+');
    await file.write(Buffer.from([patternBytes(sizeBytes)[decodedChunkBytes + 9]! ^ 1]), 0, 1, decodedChunkBytes + 9);
    await file.close();
    expect((await read(cache, a)).equals(patternBytes(sizeBytes))).toBe(true);
    expect((await read(cache, a)).equals(patternBytes(sizeBytes))).toBe(true);
    expect(a.counts.whole).toBe(2);
  });

  it('of another repository are not found by their digest', async () => {
    const cache = await openCache();
    const [mine, theirs] = [source('mine'), source('theirs')];
    await read(cache, theirs);
    expect(await cache.openFile(mine.file, mine.open)).toMatchObject({ isCached: false });
  });

  it('of a killed process are swept at the start', async () => {
    await writeFile(join(directory, 'half-a-file'), 'x');
    const cache = await openCache();
    expect(await readdir(directory)).toEqual([]);
    const a = source('a');
    expect((await read(cache, a)).equals(patternBytes(sizeBytes))).toBe(true);
  });
});
