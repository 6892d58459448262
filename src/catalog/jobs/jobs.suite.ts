import { describe, expect, test } from 'vitest';
import type { Catalog } from '../contract/catalog.ts';
import type { Claim, Job } from '../contract/work/job-records.ts';
import { expectCode, freshName } from '../catalog-fixtures.test-support.ts';

const leaseMs = 60_000;
/** A lease that has ended before it begins, in ms. */
const lapsedMs = -1_000;

export const claimOf = (job: Job): Claim => ({ jobId: job.id, workerId: job.lockedBy!, fence: job.fence });

/** Enqueue, claim, end, cancel, leases. The order of jobs has its own suite. */
export function jobsSuite(open: () => Catalog): void {
  const enqueue = (kind: string, set: Partial<Parameters<Catalog['jobs']['enqueue']>[0]> = {}) =>
    open().jobs.enqueue({ kind, subjectId: freshName(), ...set });
  const claim = async (kind: string, workerId = 'w', lease = leaseMs) =>
    (await open().jobs.claim({ kinds: [kind], workerId, leaseMs: lease, limit: 1 }))[0];

  test('an enqueued job is claimed once, with a lease and a fence', async () => {
    const kind = freshName();
    const job = await enqueue(kind);
    expect(job).toMatchObject({ kind, state: 'queued', attempts: 0, leasesLost: 0, fence: 0, cancelRequested: false });
    const claimed = await claim(kind);
    expect(claimed).toMatchObject({ id: job.id, state: 'running', lockedBy: 'w', fence: 1 });
    expect(claimed!.leaseUntil!.getTime() - Date.now()).toBeGreaterThan(leaseMs / 2);
    expect(await claim(kind)).toBeUndefined();
    expect(await open().jobs.find(kind, job.subjectId)).toEqual(claimed);
    expect(await open().jobs.find(kind, 'nobody')).toBeUndefined();
  });

  test('a subject has one unfinished job of a kind', async () => {
    const kind = freshName();
    const { subjectId } = await enqueue(kind);
    await expectCode(open().jobs.enqueue({ kind, subjectId }), 'conflict');
    await open().jobs.enqueue({ kind: `${kind}-2`, subjectId });
    await open().jobs.complete(claimOf((await claim(kind))!));
    const again = await open().jobs.enqueue({ kind, subjectId });
    expect((await open().jobs.find(kind, subjectId))?.id).toBe(again.id);
  });

  test('only the asked kinds are claimed, in the order asked, the oldest of a kind first', async () => {
    const [kind, other] = [freshName(), freshName()];
    const jobs = [await enqueue(kind), await enqueue(other), await enqueue(kind), await enqueue(kind)];
    const input = { workerId: 'w', leaseMs, limit: 2 };
    expect((await open().jobs.claim({ ...input, kinds: [kind] })).map(({ id }) => id)).toEqual([
      jobs[0]!.id,
      jobs[2]!.id,
    ]);
    expect((await open().jobs.claim({ ...input, kinds: [kind, other] })).map(({ id }) => id)).toEqual([
      jobs[3]!.id,
      jobs[1]!.id,
    ]);
    expect(await open().jobs.claim({ ...input, kinds: [] })).toEqual([]);
    expect(await open().jobs.claim({ ...input, kinds: [kind], limit: 0 })).toEqual([]);
  });

  test('racing claims share the jobs without overlap', async () => {
    const kind = freshName();
    const jobs = await Promise.all(Array.from({ length: 20 }, () => enqueue(kind)));
    const claimed = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        open().jobs.claim({ kinds: [kind], workerId: `w${index}`, leaseMs, limit: 3 }),
      ),
    );
    const ids = claimed.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await open().jobs.claim({ kinds: [kind], workerId: 'last', leaseMs, limit: 20 });
    expect([...ids, ...rest.map(({ id }) => id)].sort()).toEqual(jobs.map(({ id }) => id).sort());
  });

  test('a held job is claimed after its release', async () => {
    const kind = freshName();
    const { subjectId } = await enqueue(kind, { held: true });
    expect(await claim(kind)).toBeUndefined();
    await open().jobs.release(kind, subjectId);
    await open().jobs.release(kind, subjectId);
    const job = await claim(kind);
    expect(job?.subjectId).toBe(subjectId);
    await open().jobs.release(kind, subjectId);
    expect((await open().jobs.find(kind, subjectId))?.state).toBe('running');
    await open().jobs.complete(claimOf(job!));
    await expectCode(open().jobs.release(kind, subjectId), 'conflict');
    await expectCode(open().jobs.release(kind, 'nobody'), 'conflict');
  });

  test('a failure is tried again after its delay, until the tries are used up', async () => {
    const kind = freshName();
    const { subjectId } = await enqueue(kind, { attemptsMax: 2 });
    const first = (await claim(kind))!;
    expect(await open().jobs.fail(claimOf(first), 'x'.repeat(5000), 0)).toBe('queued');
    const second = (await claim(kind))!;
    expect(second).toMatchObject({ attempts: 1, fence: 2, lastError: 'x'.repeat(2000) });
    expect(await open().jobs.fail(claimOf(second), 'again', 0)).toBe('failed');
    expect(await open().jobs.find(kind, subjectId)).toMatchObject({ state: 'failed', attempts: 2, lastError: 'again' });
    expect(await claim(kind)).toBeUndefined();
  });

  test('a delayed or deferred job waits for its time; a deferral counts nothing', async () => {
    const kind = freshName();
    await enqueue(kind);
    expect(await open().jobs.fail(claimOf((await claim(kind))!), 'later', 3600_000)).toBe('queued');
    expect(await claim(kind)).toBeUndefined();
    const deferring = freshName();
    const { subjectId } = await enqueue(deferring);
    await open().jobs.defer(claimOf((await claim(deferring))!), 0);
    await open().jobs.defer(claimOf((await claim(deferring))!), 3600_000);
    expect(await claim(deferring)).toBeUndefined();
    expect(await open().jobs.find(deferring, subjectId)).toMatchObject({
      state: 'queued',
      attempts: 0,
      leasesLost: 0,
      fence: 2,
    });
  });

  test('a failure that never passes ends the job at once', async () => {
    const kind = freshName();
    await enqueue(kind, { attemptsMax: 9 });
    expect(await open().jobs.fail(claimOf((await claim(kind))!), 'useless', 'never')).toBe('failed');
  });

  describe('fencing', () => {
    const verbs: Readonly<Record<string, (claim: Claim) => Promise<unknown>>> = {
      heartbeat: (held) => open().jobs.heartbeat(held, leaseMs),
      complete: (held) => open().jobs.complete(held),
      fail: (held) => open().jobs.fail(held, 'late', 0),
      defer: (held) => open().jobs.defer(held, 0),
      cancelled: (held) => open().jobs.cancelled(held),
    };
    test.each(Object.entries(verbs))('%s of a lost claim is refused and changes nothing', async (_, verb) => {
      const kind = freshName();
      const { subjectId } = await enqueue(kind);
      const lost = claimOf((await claim(kind, 'w', lapsedMs))!);
      await expectCode(verb({ ...lost, workerId: 'thief' }), 'conflict');
      await open().jobs.reap();
      await expectCode(verb(lost), 'conflict');
      const taken = await claim(kind);
      expect(taken?.fence).toBe(lost.fence + 1);
      await expectCode(verb(lost), 'conflict');
      expect(await open().jobs.find(kind, subjectId)).toEqual(taken);
      await open().jobs.complete(claimOf(taken!));
      await expectCode(verb(claimOf(taken!)), 'conflict');
      expect((await open().jobs.find(kind, subjectId))?.state).toBe('done');
    });

    test('a result recorded with a lost claim is undone with it', async () => {
      const kind = freshName();
      await enqueue(kind);
      const lost = claimOf((await claim(kind, 'w', lapsedMs))!);
      await open().jobs.reap();
      const name = freshName();
      await expectCode(
        open().transaction(async (tx) => {
          await tx.repositories.create({ namespace: 'late', name, type: 'model' });
          await tx.jobs.complete(lost);
        }),
        'conflict',
      );
      expect(await open().repositories.find('late', name)).toBeUndefined();
    });
  });

  test('a heartbeat renews even a lapsed lease that nobody has taken back', async () => {
    const kind = freshName();
    const { subjectId } = await enqueue(kind);
    const held = claimOf((await claim(kind, 'w', lapsedMs))!);
    expect(await open().jobs.heartbeat(held, leaseMs)).toEqual({ cancelRequested: false });
    await open().jobs.reap();
    expect((await open().jobs.find(kind, subjectId))?.state).toBe('running');
    await open().jobs.complete(held);
  });

  test('lapsed leases are counted apart from failures, and end the job when they are too many', async () => {
    const kind = freshName();
    const { id } = await enqueue(kind, { leasesLostMax: 2, attemptsMax: 1 });
    await claim(kind, 'w', lapsedMs);
    expect((await open().jobs.reap()).requeued).toMatchObject([{ id, state: 'queued', attempts: 0, leasesLost: 1 }]);
    await claim(kind, 'w', lapsedMs);
    const { requeued, ended } = await open().jobs.reap();
    expect(requeued).toEqual([]);
    expect(ended).toMatchObject([{ id, state: 'failed', attempts: 0, leasesLost: 2 }]);
    expect(await open().jobs.reap()).toEqual({ requeued: [], ended: [] });
  });

  test('after a restart running jobs of the earlier life are taken back at once, and counted', async () => {
    const kind = freshName();
    const [mine, dying, foreign] = [
      await enqueue(kind),
      await enqueue(kind, { leasesLostMax: 1 }),
      await enqueue(kind),
    ];
    await claim(kind, 'me_%-1');
    await claim(kind, 'me_%-2');
    await claim(kind, 'meX-1');
    const { requeued, ended } = await open().jobs.requeueOwn('me_%-');
    expect(requeued).toMatchObject([{ id: mine.id, state: 'queued', leasesLost: 1 }]);
    expect(ended).toMatchObject([{ id: dying.id, state: 'failed' }]);
    expect((await open().jobs.find(kind, foreign.subjectId))?.state).toBe('running');
    expect((await claim(kind))?.id).toBe(mine.id);
  });

  test('a cancel ends a waiting job and marks a running one', async () => {
    const kind = freshName();
    const [held, queued] = [await enqueue(kind, { held: true }), await enqueue(kind)];
    expect(await open().jobs.requestCancel(kind, held.subjectId)).toBe('cancelled');
    const running = (await claim(kind))!;
    expect(running.id).toBe(queued.id);
    expect(await open().jobs.requestCancel(kind, queued.subjectId)).toBe('running');
    expect(await open().jobs.heartbeat(claimOf(running), leaseMs)).toEqual({ cancelRequested: true });
    await open().jobs.cancelled(claimOf(running));
    expect(await open().jobs.requestCancel(kind, queued.subjectId)).toBe('cancelled');
    expect(await open().jobs.requestCancel(kind, 'nobody')).toBeUndefined();
  });

  test('a cancel survives a lost lease', async () => {
    const kind = freshName();
    const { subjectId } = await enqueue(kind);
    await claim(kind, 'w', lapsedMs);
    await open().jobs.requestCancel(kind, subjectId);
    await open().jobs.reap();
    expect(await claim(kind)).toMatchObject({ cancelRequested: true });
  });

  test('finished jobs are pruned by age, unfinished ones never; counts are by kind and state', async () => {
    const kind = freshName();
    const [done, waiting] = [await enqueue(kind), await enqueue(kind)];
    await open().jobs.complete(claimOf((await claim(kind))!));
    const before = await open().jobs.count();
    expect(before).toEqual(expect.arrayContaining(['done', 'queued'].map((state) => ({ kind, state, count: 1 }))));
    const [finished, unfinished] = [true, false].map((wanted) =>
      before.filter(({ state }) => ['done', 'failed', 'cancelled'].includes(state) === wanted),
    );
    expect(await open().jobs.prune(new Date(Date.now() - 3600_000))).toBe(0);
    expect(await open().jobs.prune(new Date(Date.now() + 3600_000))).toBe(
      finished!.reduce((sum, { count }) => sum + count, 0),
    );
    expect(await open().jobs.find(kind, done.subjectId)).toBeUndefined();
    expect((await open().jobs.find(kind, waiting.subjectId))?.state).toBe('queued');
    expect(new Set(await open().jobs.count())).toEqual(new Set(unfinished));
  });

  test('says by kind how long the oldest job that could run has waited', async () => {
    const [waiting, running, later, held] = [freshName(), freshName(), freshName(), freshName()];
    await enqueue(waiting);
    await enqueue(running);
    await claim(running);
    await enqueue(later);
    await open().jobs.defer(claimOf((await claim(later))!), 60_000);
    await open().jobs.enqueue({ kind: held, subjectId: freshName(), held: true });
    await new Promise((resolve) => setTimeout(resolve, 30));
    const waits = await open().jobs.oldestQueued();
    const [wait, ...others] = waits.filter(({ kind }) => [waiting, running, later, held].includes(kind));
    expect(wait).toEqual({ kind: waiting, device: 'none', seconds: expect.any(Number) });
    expect(wait!.seconds).toBeGreaterThan(0.02);
    expect(wait!.seconds).toBeLessThan(60);
    expect(others).toEqual([]);
  });
}
