import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forEachBounded, mapBounded } from './bounded-parallel.ts';

/** Work that ends when the test says so. */
function gates() {
  const open: { readonly item: number; readonly finish: () => void; readonly fail: (error: Error) => void }[] = [];
  let most = 0;
  return {
    open,
    most: () => most,
    work: (item: number) =>
      new Promise<number>((resolve, reject) => {
        const leave = (): void => {
          open.splice(
            open.findIndex((gate) => gate.item === item),
            1,
          );
        };
        open.push({
          item,
          finish: () => {
            leave();
            resolve(10 * item);
          },
          fail: (error) => {
            leave();
            reject(error);
          },
        });
        most = Math.max(most, open.length);
      }),
  };
}

/** Waits until all pending work that can proceed has done so. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('forEachBounded', () => {
  test('does every item once, never more than the limit at a time, whatever order they end in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.infiniteStream(fc.nat()),
        async (count, limit, picks) => {
          const gate = gates();
          const seen: number[] = [];
          const done = forEachBounded(
            Array.from({ length: count }, (_, i) => i),
            limit,
            async (item) => {
              seen.push(item);
              await gate.work(item);
            },
          );
          for (await settle(); gate.open.length > 0; await settle())
            gate.open[picks.next().value! % gate.open.length]!.finish();
          await done;
          expect(seen).toEqual(Array.from({ length: count }, (_, i) => i));
          expect(gate.most()).toBe(Math.min(count, limit));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('the first failure stops new items, waits for those under way, and becomes the rejection', async () => {
    const gate = gates();
    const started: number[] = [];
    let ended = false;
    const done = forEachBounded([0, 1, 2, 3, 4], 3, async (item) => {
      started.push(item);
      await gate.work(item);
    }).finally(() => {
      ended = true;
    });
    const outcome = expect(done).rejects.toThrow('second');
    await settle();
    gate.open[1]!.fail(new Error('second'));
    await settle();
    expect([started, ended]).toEqual([[0, 1, 2], false]);
    gate.open[0]!.finish();
    gate.open[0]!.fail(new Error('third'));
    await outcome;
    expect(started).toEqual([0, 1, 2]);
  });
});

describe('mapBounded', () => {
  test('gives results in order and holds at most the limit of them', async () => {
    let running = 0;
    let most = 0;
    const taken: number[] = [];
    for await (const result of mapBounded([5, 1, 4, 2, 3], 2, async (item) => {
      most = Math.max(most, ++running);
      for (let i = 0; i < item; i += 1) await settle();
      return item;
    })) {
      running -= 1;
      taken.push(result);
    }
    expect(taken).toEqual([5, 1, 4, 2, 3]);
    expect(most).toBe(2);
  });

  test('a failure comes at its place, after earlier results', async () => {
    const taken: number[] = [];
    const reading = (async () => {
      for await (const item of mapBounded([0, 1, 2, 3], 3, async (each) => {
        if (each === 2) throw new Error('two');
        return each;
      }))
        taken.push(item);
    })();
    await expect(reading).rejects.toThrow('two');
    expect(taken).toEqual([0, 1]);
  });

  test('a reader that stops early starts nothing more and leaves nothing running', async () => {
    const gate = gates();
    const results = mapBounded([0, 1, 2, 3, 4, 5], 3, gate.work);
    const first = results.next();
    await settle();
    gate.open[0]!.finish();
    expect(await first).toEqual({ value: 0, done: false });
    let ended = false;
    const end = results.return(undefined).then(() => {
      ended = true;
    });
    await settle();
    expect([gate.open.map(({ item }) => item), ended]).toEqual([[1, 2], false]);
    gate.open[0]!.finish();
    gate.open[0]!.fail(new Error('nobody hears this'));
    await end;
    expect(gate.open).toEqual([]);
  });
});
