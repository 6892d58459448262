import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf } from './body-of.ts';
import { pieceBytes } from './frame/framed-reader.ts';
import { footerBytes, storedSize } from './frame/object-frame.ts';
import { patternBytes } from './object-store.reference.ts';
import { chunkBytes, roomBytes, type ObjectStore, type PutOptions } from './object-store.ts';

/** An open store, and direct access to its stored bytes. */
export interface ObjectStoreHarness {
  readonly store: ObjectStore;
  /** The stored bytes of a key: content, table and footer. */
  readStored(key: string): Promise<Uint8Array>;
  writeStored(key: string, bytes: Uint8Array): Promise<void>;
  /** Everything in the store besides finished objects, such as temporary files or unfinished multipart uploads. */
  leftovers(): Promise<readonly string[]>;
  /** Leaves the remains of a process that died during a put. */
  abandonPut(): Promise<void>;
  close(): Promise<void>;
}

const roomy: PutOptions = { sizeMaxBytes: 1 << 30 };

async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** The behaviour of every ObjectStore; `open` gives an empty store. */
export function describeObjectStore(name: string, open: () => Promise<ObjectStoreHarness>): void {
  describe(`object store: ${name}`, () => {
    let harness: ObjectStoreHarness;
    let store: ObjectStore;
    let lastKey = 0;
    const newKey = (): string => `suite/object-${lastKey++}`;
    const listed = async (prefix: string): Promise<string[]> => {
      const keys: string[] = [];
      for await (const object of store.list(prefix)) keys.push(object.key);
      return keys.sort();
    };
    const readAll = async (key: string): Promise<Buffer> => {
      const reader = await store.open(key);
      try {
        return await collect(reader.stream());
      } finally {
        await reader.close();
      }
    };
    const expectNothingOf = async (key: string): Promise<void> => {
      expect(await store.stat(key)).toBeUndefined();
      expect(await listed(key)).toEqual([]);
      expect(await harness.leftovers()).toEqual([]);
    };

    beforeAll(async () => {
      harness = await open();
      store = harness.store;
    });
    afterAll(async () => {
      await harness.close();
    });

    describe('put', () => {
      it.each([0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 5 * chunkBytes + 77])(
        'keeps %i bytes whatever the pieces',
        async (size) => {
          const content = patternBytes(size, size);
          for (const pieceBytes of [1 << 16, 100_003, 3 << 20]) {
            const key = newKey();
            const stored = { key, sizeBytes: size, storedBytes: storedSize(size) };
            expect(await store.put(key, inPieces(content, pieceBytes), roomy)).toEqual(stored);
            expect(await store.stat(key)).toEqual(stored);
            expect(content.equals(await readAll(key))).toBe(true);
            expect((await harness.readStored(key)).length).toBe(stored.storedBytes);
          }
        },
      );

      it('keeps many megabytes, and replaces them only when told to', async () => {
        const content = patternBytes(12_345_678, 3);
        const key = newKey();
        const stored = { key, sizeBytes: content.length, storedBytes: storedSize(content.length) };
        expect(await store.put(key, inPieces(content, 100_003), roomy)).toEqual(stored);
        await expect(store.put(key, inPieces(content.subarray(1), 1 << 20), roomy)).rejects.toMatchObject({
          code: 'conflict',
        });
        expect(await harness.leftovers()).toEqual([]);
        expect(content.equals(await readAll(key))).toBe(true);
        await store.put(key, inPieces(content.subarray(1), 1 << 20), { ...roomy, replace: true });
        expect(content.subarray(1).equals(await readAll(key))).toBe(true);
        expect(await harness.leftovers()).toEqual([]);
      });

      it('keeps the bytes a piece had, though the caller reuses its buffer', async () => {
        const content = patternBytes(700_001);
        const reused = Buffer.alloc(10_007);
        const key = newKey();
        await store.put(
          key,
          (async function* () {
            for (let at = 0; at < content.length; at += reused.length)
              yield reused.subarray(0, content.copy(reused, 0, at));
          })(),
          roomy,
        );
        expect(content.equals(await readAll(key))).toBe(true);
      });

      it('takes empty pieces for what they are', async () => {
        const key = newKey();
        await store.put(key, bodyOf(Buffer.alloc(0), Buffer.from('ab'), Buffer.alloc(0), Buffer.from('c')), roomy);
        expect((await readAll(key)).toString()).toBe('abc');
      });

      it('replaces nothing unless told to', async () => {
        const key = newKey();
        await store.put(key, bodyOf(Buffer.from('first')), roomy);
        await expect(store.put(key, bodyOf(Buffer.from('second')), roomy)).rejects.toMatchObject({ code: 'conflict' });
        expect((await readAll(key)).toString()).toBe('first');
        await store.put(key, bodyOf(Buffer.from('third!')), { ...roomy, replace: true });
        expect((await readAll(key)).toString()).toBe('third!');
        expect(await harness.leftovers()).toEqual([]);
      });

      it('lets exactly one of several puts to a key win, whole', async () => {
        const key = newKey();
        const contents = [1, 2, 3, 4].map((seed) => patternBytes(300_000, seed));
        const outcomes = await Promise.allSettled(
          contents.map((content) => store.put(key, inPieces(content, 50_000), roomy)),
        );
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        for (const outcome of outcomes)
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' });
        expect(contents[outcomes.findIndex(({ status }) => status === 'fulfilled')]!.equals(await readAll(key))).toBe(
          true,
        );
        expect(await harness.leftovers()).toEqual([]);
      });

      it('refuses more bytes than allowed, and only more', async () => {
        const key = newKey();
        let asked = 0;
        await expect(
          store.put(
            key,
            (async function* () {
              for (; asked < 100; asked++) yield Buffer.alloc(1000);
            })(),
            { sizeMaxBytes: 4999 },
          ),
        ).rejects.toMatchObject({ code: 'payload-too-large' });
        expect(asked).toBeLessThan(100);
        await expectNothingOf(key);
        await store.put(key, inPieces(patternBytes(4999), 1000), { sizeMaxBytes: 4999 });
      });

      it.each([0, 3_000_000, 12_000_000])(
        'leaves nothing when the body fails after %i bytes, and rejects with the body’s error',
        async (size) => {
          const key = newKey();
          const failure = new Error('the client went away');
          await expect(
            store.put(
              key,
              (async function* () {
                yield* inPieces(patternBytes(size), 65_536);
                throw failure;
              })(),
              roomy,
            ),
          ).rejects.toBe(failure);
          await expectNothingOf(key);
        },
      );

      it.each([2_000_000, 12_000_000])(
        'ends at once when cancelled after %i bytes, though the body never goes on',
        async (size) => {
          const key = newKey();
          const controller = new AbortController();
          let waiting = (): void => undefined;
          const stuck = new Promise<void>((resolve) => {
            waiting = resolve;
          });
          const put = store.put(
            key,
            (async function* () {
              yield patternBytes(size);
              waiting();
              await new Promise(() => undefined);
            })(),
            { ...roomy, signal: controller.signal },
          );
          await stuck;
          controller.abort();
          await expect(put).rejects.toMatchObject({ code: 'cancelled' });
          await expectNothingOf(key);
          await expect(
            store.put(key, bodyOf(Buffer.from('x')), { ...roomy, signal: controller.signal }),
          ).rejects.toMatchObject({ code: 'cancelled' });
          await expectNothingOf(key);
        },
      );

      it('asks for the body no faster than it writes, in little memory', async () => {
        const key = newKey();
        const piece = Buffer.alloc(1 << 20);
        let highest = 0;
        const before = process.memoryUsage().arrayBuffers;
        await store.put(
          key,
          (async function* () {
            for (let i = 0; i < 64; i++) {
              highest = Math.max(highest, process.memoryUsage().arrayBuffers - before);
              yield piece;
            }
          })(),
          roomy,
        );
        expect(highest).toBeLessThan(24 << 20);
      });

      it.each([
        '',
        '/',
        'a/',
        '/a',
        'a//b',
        '../a',
        'a/../b',
        'a/./b',
        '.a',
        'a\\b',
        'a\0b',
        'a b',
        'ä',
        'a+b',
        'a'.repeat(121),
      ])('refuses the key %j', async (key) => {
        await expect(store.put(key, bodyOf(Buffer.from('x')), roomy)).rejects.toMatchObject({ code: 'internal' });
      });

      it('keeps keys apart that differ in case or punctuation only', async () => {
        const keys = ['case/abc', 'case/ABC', 'case/Abc', 'case/a-b.c', 'case/a_b.c', 'case/a/b.c', 'case/a'];
        for (const key of keys) await store.put(key, bodyOf(Buffer.from(key)), roomy);
        for (const key of keys) expect((await readAll(key)).toString()).toBe(key);
        expect(await listed('case/')).toEqual([...keys].sort());
      });
    });

    describe('open and read', () => {
      it('say not-found of an absent key', async () => {
        await expect(store.open('suite/absent')).rejects.toMatchObject({ code: 'not-found' });
        expect(await store.stat('suite/absent')).toBeUndefined();
      });

      it('give exactly the range asked for', async () => {
        const content = patternBytes(9 * chunkBytes + 12_345);
        const key = newKey();
        await store.put(key, bodyOf(content), roomy);
        const reader = await store.open(key);
        expect(reader.sizeBytes).toBe(content.length);
        await fc.assert(
          fc.asyncProperty(fc.nat(content.length), fc.nat(content.length), async (a, b) => {
            const [start, end] = a < b ? [a, b] : [b, a];
            expect(content.subarray(start, end).equals(await reader.read(start, end - start))).toBe(true);
            expect(content.subarray(start, end).equals(await collect(reader.stream(start, end)))).toBe(true);
            const room = new Uint8Array(roomBytes(end - start));
            expect(content.subarray(start, end).equals(await reader.read(start, end - start, undefined, room))).toBe(
              true,
            );
          }),
          {
            numRuns: 25,
            examples: [
              [0, 0],
              [content.length, content.length],
              [0, content.length],
              [chunkBytes, 2 * chunkBytes],
              [4 * chunkBytes - 1, 4 * chunkBytes + 1],
            ],
          },
        );
        const pieces: number[] = [];
        for await (const piece of reader.stream(5)) pieces.push(piece.length);
        expect(Math.max(...pieces)).toBeLessThanOrEqual(1 << 20);
        for (const [offset, length] of [
          [-1, 1],
          [0, content.length + 1],
          [content.length, 1],
          [0, -1],
          [0.5, 1],
          [Number.NaN, 1],
        ] as const) {
          await expect(reader.read(offset, length)).rejects.toMatchObject({ code: 'invalid-request' });
        }
        await expect(collect(reader.stream(0, content.length + 1))).rejects.toMatchObject({ code: 'invalid-request' });
        await reader.close();
      });

      it('take a stream that is left early, and an abort', async () => {
        const key = newKey();
        await store.put(key, bodyOf(patternBytes(5 << 20)), roomy);
        const reader = await store.open(key);
        for await (const piece of reader.stream()) {
          expect(piece.length).toBe(pieceBytes);
          break;
        }
        const controller = new AbortController();
        const stream = reader.stream(0, reader.sizeBytes, controller.signal);
        await stream[Symbol.asyncIterator]().next();
        controller.abort();
        await expect(reader.read(0, 1, controller.signal)).rejects.toMatchObject({ code: 'cancelled' });
        await reader.close();
      });
    });

    describe('delete and list', () => {
      it('remove an object, and nothing when there is none', async () => {
        const key = newKey();
        await store.put(key, bodyOf(Buffer.from('x')), roomy);
        await store.delete(key);
        await store.delete(key);
        expect(await store.stat(key)).toBeUndefined();
        await store.put(key, bodyOf(Buffer.from('again')), roomy);
        expect((await readAll(key)).toString()).toBe('again');
      });

      it('remove many objects at once, those that are not there too', async () => {
        const keys = Array.from({ length: 12 }, (_, i) => `many/object-${i}`);
        for (const key of keys) await store.put(key, bodyOf(Buffer.from(key)), roomy);
        await store.deleteMany([]);
        await store.deleteMany([...keys.slice(0, 10), 'many/absent']);
        expect(await listed('many/')).toEqual(keys.slice(10).sort());
        await store.deleteMany(keys.slice(11));
        expect(await listed('many/')).toEqual([keys[10]]);
      });

      it('list a prefix with sizes and times', async () => {
        for (const key of ['list/a/1', 'list/a/2', 'list/b/1', 'listing'])
          await store.put(key, bodyOf(Buffer.from(key)), roomy);
        expect(await listed('list/')).toEqual(['list/a/1', 'list/a/2', 'list/b/1']);
        expect(await listed('list/a')).toEqual(['list/a/1', 'list/a/2']);
        expect(await listed('nothing/')).toEqual([]);
        for await (const object of store.list('list/b/')) {
          expect(object).toMatchObject({ sizeBytes: 8, storedBytes: storedSize(8) });
          expect(Math.abs(object.modifiedAt.getTime() - Date.now())).toBeLessThan(60_000);
        }
      });

      it('sweep what a dead process left of a put, old enough, and no object', async () => {
        const key = newKey();
        await store.put(key, bodyOf(Buffer.from('kept')), roomy);
        await harness.abandonPut();
        expect(await store.sweepUnfinished(new Date(Date.now() - 3_600_000))).toBe(0);
        expect(await harness.leftovers()).toHaveLength(1);
        expect(await store.sweepUnfinished(new Date(Date.now() + 3_600_000))).toBe(1);
        expect(await harness.leftovers()).toEqual([]);
        expect((await readAll(key)).toString()).toBe('kept');
      });

      it('probe without a trace', async () => {
        await store.probe();
        expect(await listed('probe/')).toEqual([]);
      });
    });

    describe('damage', () => {
      const content = patternBytes(2 * chunkBytes + 5000, 9);
      const chunkOf = (at: number): number => Math.floor(at / chunkBytes);
      let key: string;
      let sound: Uint8Array;
      beforeAll(async () => {
        key = newKey();
        await store.put(key, bodyOf(content), roomy);
        sound = await harness.readStored(key);
      });

      const flipped = async (at: number, mask: number): Promise<void> => {
        const damaged = Uint8Array.from(sound);
        damaged[at]! ^= mask;
        await harness.writeStored(key, damaged);
      };

      it('of any content byte is corrupt-object for its chunk, and for no other', async () => {
        await fc.assert(
          fc.asyncProperty(fc.nat(content.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
            await flipped(at, mask);
            const reader = await store.open(key);
            for (let chunk = 0; chunk < 3; chunk++) {
              const start = chunk * chunkBytes;
              const read = reader.read(start, Math.min(chunkBytes, content.length - start));
              if (chunk === chunkOf(at)) await expect(read).rejects.toMatchObject({ code: 'corrupt-object' });
              else expect(content.subarray(start, start + chunkBytes).equals(await read)).toBe(true);
            }
            // Even if the damaged byte itself was not requested.
            await expect(reader.read(chunkOf(at) * chunkBytes, 1)).rejects.toMatchObject({ code: 'corrupt-object' });
            const handedOut: Uint8Array[] = [];
            await expect(
              (async () => {
                for await (const piece of reader.stream()) handedOut.push(piece);
              })(),
            ).rejects.toMatchObject({ code: 'corrupt-object' });
            const got = Buffer.concat(handedOut);
            expect(got.length).toBeLessThanOrEqual(chunkOf(at) * chunkBytes);
            expect(content.subarray(0, got.length).equals(got)).toBe(true);
            await reader.close();
          }),
          {
            numRuns: 20,
            examples: [
              [0, 1],
              [content.length - 1, 128],
              [chunkBytes, 1],
              [chunkBytes - 1, 1],
            ],
          },
        );
      });

      it('of a small object is corrupt-object, too', async () => {
        const small = newKey();
        await store.put(small, bodyOf(content.subarray(0, 1000)), roomy);
        const damaged = Uint8Array.from(await harness.readStored(small));
        damaged[700]! ^= 4;
        await harness.writeStored(small, damaged);
        await expect(readAll(small)).rejects.toMatchObject({ code: 'corrupt-object' });
      });

      it('of every byte of table and footer is corrupt-object, and no byte is handed out', async () => {
        for (let at = content.length; at < sound.length; at++) {
          await flipped(at, 1 << (at % 8));
          await expect(store.open(key)).rejects.toMatchObject({ code: 'corrupt-object' });
        }
      });

      it.each([0, 1, footerBytes, content.length, -1, -footerBytes])(
        'by a cut to %i bytes is corrupt-object',
        async (size) => {
          await harness.writeStored(key, sound.slice(0, size < 0 ? sound.length + size : size));
          await expect(readAll(key)).rejects.toMatchObject({ code: 'corrupt-object' });
        },
      );

      it('by an extra byte, or by another object’s tail, is corrupt-object', async () => {
        await harness.writeStored(key, Buffer.concat([sound, Buffer.alloc(1)]));
        await expect(readAll(key)).rejects.toMatchObject({ code: 'corrupt-object' });
        const other = newKey();
        await store.put(other, bodyOf(patternBytes(content.length, 10)), roomy);
        const foreign = await harness.readStored(other);
        await harness.writeStored(key, Buffer.concat([sound.slice(0, content.length), foreign.slice(content.length)]));
        await expect(readAll(key)).rejects.toMatchObject({ code: 'corrupt-object' });
      });

      it('undone, gives the bytes again', async () => {
        await harness.writeStored(key, sound);
        expect(content.equals(await readAll(key))).toBe(true);
      });
    });
  });
}
