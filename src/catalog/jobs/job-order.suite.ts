import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Catalog } from '../contract/catalog.ts';
import type { Job } from '../contract/work/job-records.ts';
import { expectCode, freshName } from '../catalog-fixtures.test-support.ts';
import { claimOf } from './jobs.suite.ts';

const leaseMs = 60_000;
/** Longest time in which racing workers end a few jobs, in ms. */
const drainMs = 20_000;

/** Jobs of one order key run one at a time, by sequence. */
export function jobOrderSuite(open: () => Catalog): void {
  const claim = (kind: string, limit = 10) => open().jobs.claim({ kinds: [kind], workerId: 'w', leaseMs, limit });
  async function enqueueOrdered(
    kind: string,
    orderKey: string,
    sequences: readonly number[],
    held = false,
  ): Promise<void> {
    for (const orderSequence of sequences)
      await open().jobs.enqueue({ kind, subjectId: `${orderKey}/${orderSequence}`, orderKey, orderSequence, held });
  }

  test('jobs of one key run by sequence, one at a time, whatever the order of arrival and the limit', async () => {
    const [kind, key] = [freshName(), freshName()];
    await enqueueOrdered(kind, key, [3, 1, 2]);
    for (const sequence of [1, 2, 3]) {
      const claimed = await claim(kind);
      expect(claimed.map(({ orderSequence }) => orderSequence)).toEqual([sequence]);
      expect(await claim(kind)).toEqual([]);
      await open().jobs.complete(claimOf(claimed[0]!));
    }
  });

  test('keys do not block each other, nor jobs without a key', async () => {
    const [kind, a, b] = [freshName(), freshName(), freshName()];
    await enqueueOrdered(kind, a, [1, 2]);
    await enqueueOrdered(kind, b, [1]);
    await open().jobs.enqueue({ kind, subjectId: 'free' });
    expect((await claim(kind)).map(({ subjectId }) => subjectId)).toEqual([`${a}/1`, `${b}/1`, 'free']);
  });

  test('a held earlier job blocks the later ones until it is released and done, or cancelled', async () => {
    const [kind, key] = [freshName(), freshName()];
    await enqueueOrdered(kind, key, [1, 2], true);
    await enqueueOrdered(kind, key, [3]);
    expect(await claim(kind)).toEqual([]);
    await open().jobs.requestCancel(kind, `${key}/2`);
    expect(await claim(kind)).toEqual([]);
    await open().jobs.release(kind, `${key}/1`);
    const [first] = await claim(kind);
    await open().jobs.fail(claimOf(first!), 'no', 'never');
    expect((await claim(kind)).map(({ orderSequence }) => orderSequence)).toEqual([3]);
  });

  test('an earlier job that waits for its next try blocks the later ones', async () => {
    const [kind, key] = [freshName(), freshName()];
    await enqueueOrdered(kind, key, [1, 2]);
    const [first] = await claim(kind);
    await open().jobs.fail(claimOf(first!), 'later', 3600_000);
    expect(await claim(kind)).toEqual([]);
  });

  test('an earlier job that arrives late waits for the running one, of any kind', async () => {
    const [kind, other, key] = [freshName(), freshName(), freshName()];
    await enqueueOrdered(kind, key, [5]);
    const [running] = await claim(kind);
    await enqueueOrdered(other, key, [3]);
    expect(await claim(other)).toEqual([]);
    await open().jobs.complete(claimOf(running!));
    expect((await claim(other)).map(({ orderSequence }) => orderSequence)).toEqual([3]);
  });

  test('equal sequences run in the order of arrival', async () => {
    const [kind, key] = [freshName(), freshName()];
    for (const subjectId of ['a', 'b']) await open().jobs.enqueue({ kind, subjectId, orderKey: key, orderSequence: 1 });
    const [first, ...more] = await claim(kind);
    expect([first?.subjectId, more]).toEqual(['a', []]);
    await open().jobs.complete(claimOf(first!));
    expect((await claim(kind)).map(({ subjectId }) => subjectId)).toEqual(['b']);
  });

  test('a claim that could not see another one of the key yields to it', async () => {
    const [kind, key] = [freshName(), freshName()];
    await enqueueOrdered(kind, key, [9]);
    let claimedInside = (): void => undefined;
    const inside = new Promise<void>((resolve) => {
      claimedInside = resolve;
    });
    const first = open().transaction(async (tx) => {
      const claimed = await tx.jobs.claim({ kinds: [kind], workerId: 'first', leaseMs, limit: 1 });
      claimedInside();
      // Let the other claim proceed as far as its database allows; the outcome is the same wherever it stops.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return claimed;
    });
    await inside;
    await Promise.all([
      first,
      enqueueOrdered(kind, key, [3])
        .then(() => claim(kind))
        .then((second) => expect(second).toEqual([])),
    ]);
    expect(await first).toHaveLength(1);
  });

  test('an order key without a sequence is refused', async () => {
    await expectCode(open().jobs.enqueue({ kind: 'k', subjectId: freshName(), orderKey: 'o' }), 'internal');
  });

  type Step = 'complete' | 'fail' | 'defer' | 'lose';
  const script = fc.record({
    jobs: fc.array(
      fc.record({
        key: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
        sequence: fc.integer({ min: 0, max: 9 }),
        held: fc.boolean(),
      }),
      { minLength: 1, maxLength: 14 },
    ),
    workers: fc.array(
      fc.record({
        limit: fc.integer({ min: 1, max: 4 }),
        steps: fc.array(fc.constantFrom<Step>('complete', 'fail', 'defer', 'lose'), { maxLength: 6 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  });

  test('racing workers never run two jobs of a key at once nor out of order, and every job ends', async () => {
    await fc.assert(
      fc.asyncProperty(script, async ({ jobs, workers }) => {
        const kind = freshName();
        const keyOf = (key: number) => `${kind}/${key}`;
        for (const [index, { key, sequence, held }] of jobs.entries()) {
          await open().jobs.enqueue({
            kind,
            subjectId: String(index),
            held,
            attemptsMax: 99,
            leasesLostMax: 99,
            ...(key !== undefined && { orderKey: keyOf(key), orderSequence: sequence }),
          });
        }
        const done: Job[] = [];
        const running = new Set<string>();
        const work = async (name: string, limit: number, steps: readonly Step[]): Promise<void> => {
          const plan = [...steps];
          const endMs = performance.now() + drainMs;
          while (done.length < jobs.length) {
            if (performance.now() > endMs) throw new Error('the queue does not drain');
            const lose = plan[0] === 'lose';
            const claimed = await open().jobs.claim({
              kinds: [kind],
              workerId: name,
              leaseMs: lose ? -1_000 : leaseMs,
              limit,
            });
            const keys = claimed.flatMap(({ orderKey }) => orderKey ?? []);
            expect(new Set(keys).size).toBe(keys.length);
            for (const key of keys) expect(running.has(key)).toBe(false);
            if (lose && claimed.length > 0) {
              plan.shift();
              // Only these leases are short, so only these jobs are taken back.
              await open().jobs.reap();
              continue;
            }
            keys.forEach((key) => running.add(key));
            for (const job of claimed) {
              const step = plan.shift() ?? 'complete';
              // During the call the job leaves the catalog's running ones, so it leaves ours first.
              if (job.orderKey !== undefined) running.delete(job.orderKey);
              if (step === 'fail') await open().jobs.fail(claimOf(job), 'no', 0);
              else if (step === 'defer' || step === 'lose') await open().jobs.defer(claimOf(job), 0);
              else {
                done.push(job);
                await open().jobs.complete(claimOf(job));
              }
            }
          }
        };
        const release = async (): Promise<void> => {
          for (const [index, { held }] of jobs.entries()) if (held) await open().jobs.release(kind, String(index));
        };
        await Promise.all([...workers.map(({ limit, steps }, index) => work(`w${index}`, limit, steps)), release()]);
        expect(new Set(done.map(({ id }) => id)).size).toBe(jobs.length);
        for (const key of [0, 1, 2].map(keyOf)) {
          const order = done.filter(({ orderKey }) => orderKey === key).map(({ orderSequence }) => orderSequence!);
          expect(order).toEqual([...order].sort((a, b) => a - b));
        }
      }),
      { numRuns: 25 },
    );
  });
}
