import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dtypeBytes } from '../../checkpoint/dtype.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { parseSafetensorsHeader } from '../../checkpoint/safetensors/parse-safetensors.ts';
import { loadCore } from '../../native/load-core.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import { writePackage } from '../../package/write-package.ts';
import { openFilesystemStore } from '../../store/filesystem/filesystem-store.ts';
import { digestBytes } from '../digest-bytes.ts';
import type { PackageChain } from './package-chain.ts';
import { Dice, storeRandomRun, type StoredCheckpoint } from '../random-run.test-support.ts';
import { Restorer } from '../restorer.ts';

const core = loadCore();
const cacheBytes = { indexCacheBytesMax: 2 ** 24, blockCacheBytesMax: 2 ** 22 };

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(Uint8Array.from(piece));
  return Buffer.concat(pieces);
}

/** Newest first, like a chain from the catalog. */
function chainTo(run: readonly StoredCheckpoint[], newest: number) {
  return run
    .slice(0, newest + 1)
    .map(({ location }) => location)
    .reverse();
}

async function withChain<T>(
  restorer: Restorer,
  run: readonly StoredCheckpoint[],
  newest: number,
  use: (chain: PackageChain) => Promise<T>,
): Promise<T> {
  const chain = await restorer.open(chainTo(run, newest));
  try {
    return await use(chain);
  } finally {
    await chain.close();
  }
}

describe('a run of packages', () => {
  it('gives back every file of every checkpoint, byte for byte, with whatever is cached', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.boolean(), async (seed, large) => {
        const dice = new Dice(seed);
        const store = new MemoryStore();
        const run = await storeRandomRun(dice, core, store, { length: 5, large, tensorsMax: large ? 6 : 14 });
        const restorer = new Restorer({
          core,
          store,
          ...(dice.chance(50) ? cacheBytes : { indexCacheBytesMax: 0, blockCacheBytesMax: 0 }),
        });
        for (const newest of [4, 0, 2, 3, 1, 4]) {
          await withChain(restorer, run, newest, async (chain) => {
            expect(chain.files).toEqual(run[newest]!.index.files);
            for (const [path, bytes] of run[newest]!.files) {
              const restored = await collect(chain.file(path).stream());
              expect(restored.equals(bytes)).toBe(true);
              expect((await collect(chain.file(path).passing())).equals(bytes)).toBe(true);
            }
          });
        }
        expect(store.openReaders).toBe(0);
      }),
      { numRuns: 12 },
    );
  });

  it('gives any range as the slice of the whole, and the whole digest', async () => {
    const dice = new Dice(7);
    const store = new MemoryStore();
    const run = await storeRandomRun(dice, core, store, { length: 3, large: true, tensorsMax: 8 });
    const restorer = new Restorer({ core, store, ...cacheBytes });
    await withChain(restorer, run, 2, async (chain) => {
      for (const [path, bytes] of run[2]!.files) {
        const file = chain.file(path);
        expect(file.sizeBytes).toBe(bytes.length);
        expect(await digestBytes(file.stream())).toEqual({
          sizeBytes: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
        });
        for (let i = 0; i < 40; i++) {
          const start = dice.below(bytes.length + 1);
          const end = start + dice.below(Math.min(bytes.length - start, dice.pick([3, 300, 10 ** 6])) + 1);
          expect((await collect(file.stream(start, end))).equals(bytes.subarray(start, end))).toBe(true);
        }
      }
    });
  });

  it('reads one tensor, and refuses names and files that are not there', async () => {
    const store = new MemoryStore();
    const run = await storeRandomRun(new Dice(11), core, store, { length: 2, large: false, tensorsMax: 14 });
    await withChain(new Restorer({ core, store, ...cacheBytes }), run, 1, async (chain) => {
      const [path, bytes] = [...run[1]!.files][0]!;
      const file = chain.file(path);
      for (const { name, startBytes, endBytes } of file.layout.tensors) {
        const entry = file.tensor(name);
        expect(
          (await collect(file.stream(entry.startBytes, entry.endBytes))).equals(bytes.subarray(startBytes, endBytes)),
        ).toBe(true);
      }
      expect(() => file.tensor('no such tensor')).toThrow(expect.objectContaining({ code: 'not-found' }));
      expect(() => chain.file('no/such/file')).toThrow(expect.objectContaining({ code: 'not-found' }));
      expect(() => chain.file('raw/optimizer.bin')).toThrow(expect.objectContaining({ code: 'not-found' }));
      expect(() => chain.file('config/tokens.json').view('F32')).toThrow(
        expect.objectContaining({ code: 'invalid-request' }),
      );
      expect(() => file.stream(0, bytes.length + 1)).toThrow(
        expect.objectContaining({ code: 'range-not-satisfiable' }),
      );
      expect(() => file.stream(5, 4)).toThrow(expect.objectContaining({ code: 'range-not-satisfiable' }));
    });
  });

  it('converts floating tensors of a view and nothing else, also in ranges', async () => {
    const dice = new Dice(23);
    const store = new MemoryStore();
    const run = await storeRandomRun(dice, core, store, { length: 2, large: true, tensorsMax: 12 });
    await withChain(new Restorer({ core, store, ...cacheBytes }), run, 1, async (chain) => {
      for (const [path, bytes] of run[1]!.files) {
        const file = chain.file(path);
        if (!file.isSafetensors) continue;
        for (const target of ['F32', 'F16', 'BF16'] as const) {
          const view = file.view(target);
          const whole = await collect(view.stream());
          const layout = parseSafetensorsHeader(whole, whole.length);
          expect(layout.tensors.map(({ name, shape }) => ({ name, shape }))).toEqual(
            file.layout.tensors.map(({ name, shape }) => ({ name, shape })),
          );
          for (const [i, entry] of layout.tensors.entries()) {
            const own = file.layout.tensors[i]!;
            const source = bytes.subarray(own.startBytes, own.endBytes);
            const floating = own.dtype === 'F32' || own.dtype === 'F16' || own.dtype === 'BF16';
            expect(entry.dtype).toBe(floating ? target : own.dtype);
            expect(entry.endBytes - entry.startBytes).toBe(own.elementCount * dtypeBytes[entry.dtype]);
            const wanted =
              floating && own.elementCount > 0 ? await core.convert(source, own.dtype as 'F32', target) : source;
            expect(whole.subarray(entry.startBytes, entry.endBytes).equals(wanted)).toBe(true);
          }
          for (let i = 0; i < 10; i++) {
            const start = dice.below(whole.length);
            const end = start + dice.below(whole.length - start + 1);
            expect((await collect(view.stream(start, end))).equals(whole.subarray(start, end))).toBe(true);
          }
        }
      }
    });
  });

  it("lives in a directory as well, whose damage is the store's to tell", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firn-chain-'));
    try {
      const store = await openFilesystemStore({ folder, crc32c: core.crc32cSync });
      const run = await storeRandomRun(new Dice(13), core, store, { length: 3, large: true, tensorsMax: 8 });
      const restorer = new Restorer({ core, store, ...cacheBytes });
      await withChain(restorer, run, 2, async (chain) => {
        for (const [path, bytes] of run[2]!.files)
          expect((await collect(chain.file(path).stream())).equals(bytes)).toBe(true);
      });
      const [object] = (await readdir(join(folder, 'objects'), { recursive: true, withFileTypes: true })).filter(
        (entry) => entry.isFile() && entry.name.includes(run[0]!.location.key),
      );
      const path = join(object!.parentPath, object!.name);
      const stored = await readFile(path);
      stored[30]! ^= 1;
      await writeFile(path, stored);
      await expect(new Restorer({ core, store, ...cacheBytes }).open(chainTo(run, 2))).rejects.toMatchObject({
        code: 'corrupt-object',
      });
      await store.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('stops at an abort and when the reader goes away', async () => {
    const store = new MemoryStore();
    const run = await storeRandomRun(new Dice(31), core, store, { length: 3, large: true, tensorsMax: 9 });
    const restorer = new Restorer({ core, store, ...cacheBytes });
    await withChain(restorer, run, 2, async (chain) => {
      const path = [...run[2]!.files.keys()][0]!;
      const controller = new AbortController();
      controller.abort();
      await expect(collect(chain.file(path).stream(0, undefined, controller.signal))).rejects.toMatchObject({
        code: 'cancelled',
      });
      for await (const piece of chain.file(path).stream()) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
      await expect(restorer.open(chainTo(run, 2), controller.signal)).rejects.toMatchObject({ code: 'cancelled' });
    });
    expect(store.openReaders).toBe(0);
  });
});

describe('damaged packages', () => {
  /** Restores every file, or returns the code of the failure. */
  async function outcome(store: MemoryStore, chain: ReturnType<typeof chainTo>): Promise<Map<string, Buffer> | string> {
    try {
      const opened = await new Restorer({ core, store, ...cacheBytes }).open(chain);
      try {
        const files = new Map<string, Buffer>();
        for (const { path, content } of opened.files)
          if (content.type !== 'external') files.set(path, await collect(opened.file(path).stream()));
        return files;
      } finally {
        await opened.close();
      }
    } catch (error) {
      if (error instanceof FirnError) return error.code;
      throw error;
    }
  }

  function spoil(payload: Uint8Array, dice: Dice): Uint8Array {
    const at = dice.below(payload.length);
    switch (dice.below(3)) {
      case 0:
        return payload.map((byte, i) => (i === at ? byte ^ (1 << dice.below(8)) : byte));
      case 1:
        return payload.subarray(0, at);
      default:
        return Buffer.concat([payload.subarray(0, at), dice.bytes(1 + dice.below(4)), payload.subarray(at)]);
    }
  }

  async function smallRun() {
    const store = new MemoryStore();
    const run = await storeRandomRun(new Dice(5), core, store, { length: 2, large: false, tensorsMax: 4 });
    return { store, run };
  }

  it('any changed byte of a package or of its ancestor is an error, never other bytes', async () => {
    const { store, run } = await smallRun();
    const dice = new Dice(1);
    for (const { location } of run) {
      const whole = store.objects.get(location.key)!;
      // Every byte of the frame and the index, and a sample of the payloads.
      const step = Math.ceil(location.indexOffsetBytes / 400);
      for (
        let at = 0;
        at < whole.length;
        at += at >= 24 && at < location.indexOffsetBytes ? 1 + dice.below(step * 2) : 1
      ) {
        const changed = Uint8Array.from(whole);
        changed[at]! ^= 1 << dice.below(8);
        store.objects.set(location.key, changed);
        const result = await outcome(store, chainTo(run, 1));
        // A later version is the one change that does not count as damage.
        if (at === 4) expect(result).toBe('unsupported-format');
        else expect(result, `byte ${at} of ${whole.length}`).toBe('corrupt-package');
      }
      store.objects.set(location.key, whole);
    }
    expect(await outcome(store, chainTo(run, 1))).toEqual(
      new Map([...run[1]!.files].map(([path, bytes]) => [path, Buffer.from(bytes)])),
    );
  });

  it('payloads no encoder writes are an error or other values, never a crash or another size', async () => {
    const { store, run } = await smallRun();
    const dice = new Dice(77);
    const { location, index } = run[1]!;
    const whole = Uint8Array.from(store.objects.get(location.key)!);
    const sizes = [...run[1]!.files.values()].map((bytes) => bytes.length);
    const entries = index.files.flatMap(({ content }) => (content.type === 'external' ? [] : content.blocks));
    const seen = new Map<string, number>();
    for (let i = 0; i < 400; i++) {
      const victim = dice.below(entries.length);
      const payloads = entries.map(({ offsetBytes, lengthBytes }, n) => {
        const payload = whole.slice(offsetBytes, offsetBytes + lengthBytes);
        return n === victim ? spoil(payload, dice) : payload;
      });
      const written = await writePackage(
        { store, key: location.key, sizeMaxBytes: 2 ** 30, crc32c: core.crc32cSync },
        {
          id: location.id,
          formatVersion: 1,
          ancestor: run[0]!.index,
          payloads: (async function* () {
            yield* payloads;
          })(),
          draft: () => index,
        },
      );
      const {
        object: { sizeBytes },
        indexOffsetBytes,
        indexLengthBytes,
      } = written;
      const result = await outcome(store, [
        { ...location, sizeBytes, indexOffsetBytes, indexLengthBytes },
        run[0]!.location,
      ]);
      const what = typeof result === 'string' ? result : 'values';
      seen.set(what, (seen.get(what) ?? 0) + 1);
      if (typeof result !== 'string') expect([...result.values()].map((bytes) => bytes.length)).toEqual(sizes);
    }
    // An unknown mode byte does not count as damage.
    expect([...seen.keys()].sort()).toEqual(['corrupt-package', 'unsupported-format', 'values']);
  });

  it('a package cut short anywhere is an error', async () => {
    const { store, run } = await smallRun();
    const { key } = run[1]!.location;
    const whole = store.objects.get(key)!;
    for (let length = 0; length < whole.length; length += length > whole.length - 600 ? 1 : 97) {
      store.objects.set(key, whole.subarray(0, length));
      expect(await outcome(store, chainTo(run, 1))).toBe('corrupt-package');
    }
  });

  it('a wrong, missing or extra ancestor is an error', async () => {
    const { store, run } = await smallRun();
    const other = await storeRandomRun(new Dice(6), core, store, { length: 2, large: false, tensorsMax: 4 });
    const [delta, base] = chainTo(run, 1);
    const stranger = other[0]!.location;
    const wrong = [
      [delta!],
      [delta!, stranger],
      [{ ...delta!, ancestorId: stranger.id }, stranger],
      [delta!, { ...stranger, id: base!.id }],
      [delta!, { ...base!, key: stranger.key }],
      [{ ...delta!, ancestorId: undefined }],
      [{ ...base!, ancestorId: stranger.id }, stranger],
      [{ ...delta!, indexOffsetBytes: delta!.indexOffsetBytes - 1 }, base!],
      [],
    ];
    for (const chain of wrong) expect(await outcome(store, chain)).toBe('corrupt-package');
    expect(store.openReaders).toBe(0);
  });

  it('a failing block ends the stream after the good bytes before it', async () => {
    const store = new MemoryStore();
    const run = await storeRandomRun(new Dice(40), core, store, { length: 1, large: true, tensorsMax: 20 });
    const { key } = run[0]!.location;
    const file = run[0]!.index.files[0]!;
    if (file.content.type !== 'safetensors') throw new Error('the first file is safetensors');
    const victim = file.content.blocks.at(-1)!;
    store.objects.get(key)![victim.offsetBytes]! ^= 1;
    const chain = await new Restorer({ core, store, ...cacheBytes }).open(chainTo(run, 0));
    const expected = Buffer.from(run[0]!.files.get(file.path)!);
    let taken = 0;
    await expect(
      (async () => {
        for await (const piece of chain.file(file.path).stream()) {
          expect(expected.subarray(taken, taken + piece.length).equals(piece)).toBe(true);
          taken += piece.length;
        }
      })(),
    ).rejects.toMatchObject({ code: 'corrupt-package' });
    expect(taken).toBeLessThan(expected.length);
    await chain.close();
  });
});
