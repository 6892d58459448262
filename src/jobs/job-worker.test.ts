import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Job } from '../catalog/contract/work/job-records.ts';
import { expectCode, freshName } from '../catalog/catalog-fixtures.test-support.ts';
import { openTestCatalog } from '../catalog/test-catalog.test-support.ts';
import type { DeviceKind } from '../checkpoint/device-kind.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { JobAborted } from './job-aborted.ts';
import type { JobEvent } from './job-event.ts';
import type { JobContext, JobHandler, JobOutcome } from './job-handler.ts';
import { startWorker, type JobWorker, type JobWorkerOptions } from './job-worker.ts';
import { ManualTimers } from './manual-timers.test-support.ts';

const leaseMs = 30_000;
const pollMs = 1_000;
const immediately = { firstMs: 0, factor: 1, maxMs: 0, jitter: 0 };

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openTestCatalog();
});
afterAll(() => catalog.close());

let kind: string;
let timers: ManualTimers;
let events: JobEvent[];
let workers: JobWorker[];
/** Called for each event, for tests that wait for one. */
let heard: (event: JobEvent) => void;

beforeEach(() => {
  kind = freshName();
  timers = new ManualTimers();
  events = [];
  workers = [];
  heard = () => undefined;
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop(0)));
});

function start(run: JobHandler['run'], set: Partial<JobWorkerOptions> = {}): JobWorker {
  const worker = startWorker({
    catalog,
    handlers: { [kind]: { run } },
    workerId: freshName(),
    concurrency: 1,
    leaseMs,
    pollMs,
    backoff: immediately,
    timers,
    random: () => 0,
    onEvent: (event) => {
      events.push(event);
      heard(event);
    },
    ...set,
  });
  workers.push(worker);
  return worker;
}

const enqueue = (set: Partial<Parameters<Catalog['jobs']['enqueue']>[0]> = {}) =>
  catalog.jobs.enqueue({ kind, subjectId: freshName(), ...set });
const now = (job: Job) => catalog.jobs.find(kind, job.subjectId);
const finish = async (_: Job, { claim }: JobContext): Promise<JobOutcome> => {
  await catalog.jobs.complete(claim);
  return { kind: 'done' };
};
const told = (of: JobEvent['kind']) => events.filter((event) => event.kind === of);
const eventOf = (of: JobEvent['kind']) =>
  new Promise<JobEvent>((resolve) => {
    heard = (event) => {
      if (event.kind === of) resolve(event);
    };
  });
/** Rejects with the reason once the signal fires. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

/** A handler that reports its start and runs until it is aborted. */
function hanging(): { run: JobHandler['run']; started: Promise<JobContext> } {
  let begin = (_: JobContext): void => undefined;
  const started = new Promise<JobContext>((resolve) => {
    begin = resolve;
  });
  return {
    started,
    run: (_, ctx) => {
      begin(ctx);
      return untilAborted(ctx.signal);
    },
  };
}

describe('running', () => {
  test('jobs queued at the start, and jobs after a wake, run once', async () => {
    const jobs = [await enqueue(), await enqueue()];
    const ran: string[] = [];
    const worker = start((job, ctx) => {
      ran.push(job.id);
      return finish(job, ctx);
    });
    await worker.idle();
    jobs.push(await enqueue());
    worker.wake();
    await worker.idle();
    expect(ran).toEqual(jobs.map(({ id }) => id));
    for (const job of jobs) expect((await now(job))?.state).toBe('done');
  });

  test('without a wake the poll finds the work', async () => {
    const worker = start(finish);
    await worker.idle();
    const job = await enqueue();
    const finished = eventOf('finished');
    timers.advance(pollMs);
    expect(await finished).toMatchObject({ kind: 'finished', outcome: 'done', job: { id: job.id } });
  });

  test('never more than the concurrency at a time, and all of it', async () => {
    const jobs = await Promise.all(Array.from({ length: 9 }, () => enqueue()));
    let running = 0;
    let most = 0;
    let full = (): void => undefined;
    const threeAtOnce = new Promise<void>((resolve) => {
      full = resolve;
    });
    const worker = start(
      async (job, ctx) => {
        most = Math.max(most, ++running);
        if (running === 3) full();
        await threeAtOnce;
        await catalog.probe();
        running--;
        return finish(job, ctx);
      },
      { concurrency: 3 },
    );
    await worker.idle();
    expect(most).toBe(3);
    expect(told('finished')).toHaveLength(jobs.length);
  });

  test('two workers share a run without ever holding two of its checkpoints', async () => {
    const orderKey = freshName();
    for (const orderSequence of [3, 0, 2, 1]) await enqueue({ orderKey, orderSequence });
    const order: number[] = [];
    let running = 0;
    const run: JobHandler['run'] = async (job, ctx) => {
      expect(++running).toBe(1);
      order.push(job.orderSequence!);
      await catalog.probe();
      running--;
      return finish(job, ctx);
    };
    const pair = [start(run, { concurrency: 2 }), start(run, { concurrency: 2 })];
    while (order.length < 4 || running > 0) await Promise.all(pair.map((worker) => worker.idle()));
    expect(order).toEqual([0, 1, 2, 3]);
    expect(told('trouble')).toEqual([]);
  });

  test('only kinds with a handler are taken', async () => {
    const other = await catalog.jobs.enqueue({ kind: freshName(), subjectId: 's' });
    await start(finish).idle();
    expect((await catalog.jobs.find(other.kind, 's'))?.state).toBe('queued');
  });

  test('a deferred job goes back uncounted', async () => {
    const job = await enqueue();
    await start(async () => ({ kind: 'defer', delayMs: 3600_000 })).idle();
    expect(await now(job)).toMatchObject({ state: 'queued', attempts: 0, leasesLost: 0 });
  });

  test('a job that meets an unreachable server is requeued without counting a try, and reported', async () => {
    const job = await enqueue();
    const run: JobHandler['run'] = async () => {
      throw new FirnError('unavailable', 'away');
    };
    await start(run).idle();
    expect(await now(job)).toMatchObject({ state: 'queued', attempts: 0, leasesLost: 0 });
    expect(told('failed')).toMatchObject([{ final: false, delayMs: 15_000, error: { code: 'unavailable' } }]);
  });

  test('errors of the catalog are reported and do not end the worker', async () => {
    let broken = true;
    const jobs = {
      ...catalog.jobs,
      claim: async (input: Parameters<Catalog['jobs']['claim']>[0]) => {
        if (broken) throw new FirnError('overloaded', 'down');
        return catalog.jobs.claim(input);
      },
    };
    const worker = start(finish, { catalog: { ...catalog, jobs } });
    await worker.idle();
    expect(told('trouble')).toMatchObject([{ during: 'poll', error: { code: 'overloaded' } }, { during: 'poll' }]);
    broken = false;
    const job = await enqueue();
    worker.wake();
    await worker.idle();
    expect((await now(job))?.state).toBe('done');
  });
});

describe('failing', () => {
  /** A hook that records what it is called with, inside the transaction. */
  function marks() {
    const failed: { job: Job; error: FirnError }[] = [];
    const name = freshName();
    return {
      failed,
      name,
      onFailed: async (tx: Catalog, job: Job, error: FirnError) => {
        failed.push({ job, error });
        await tx.repositories.create({ namespace: name, name: `j${job.id}`, type: 'model' });
      },
    };
  }

  test('a failure is tried again until it works', async () => {
    const job = await enqueue();
    let tries = 0;
    const { failed, onFailed } = marks();
    const worker = start(
      async (each, ctx) => {
        if (++tries < 3) throw new Error('not yet');
        return finish(each, ctx);
      },
      { onFailed },
    );
    await worker.idle();
    expect([tries, (await now(job))?.state, failed]).toEqual([3, 'done', []]);
    expect(told('failed')).toMatchObject([
      { final: false, delayMs: 0 },
      { final: false, delayMs: 0 },
    ]);
  });

  test('the delay grows with the failures', async () => {
    await enqueue();
    await start(
      async () => {
        throw new Error('no');
      },
      { backoff: { firstMs: 60_000, factor: 2, maxMs: 600_000, jitter: 0 } },
    ).idle();
    expect(told('failed')).toMatchObject([{ final: false, delayMs: 60_000 }]);
  });

  test('when the tries are used up the subject is marked, once, with the last error', async () => {
    const job = await enqueue({ attemptsMax: 2 });
    const { failed, name, onFailed } = marks();
    const worker = start(
      async () => {
        throw new FirnError('native-failure', 'The core failed.');
      },
      { onFailed },
    );
    await worker.idle();
    await worker.idle();
    expect(failed).toMatchObject([{ job: { id: job.id }, error: { code: 'native-failure' } }]);
    expect(await now(job)).toMatchObject({
      state: 'failed',
      attempts: 2,
      lastError: 'native-failure: The core failed.',
    });
    expect(await catalog.repositories.find(name, `j${job.id}`)).toBeDefined();
  });

  test('a permanent error ends the job at the first try', async () => {
    const job = await enqueue({ attemptsMax: 9 });
    const { failed, onFailed } = marks();
    await start(
      async () => {
        throw new FirnError('layout-mismatch', 'Other shapes.');
      },
      { onFailed },
    ).idle();
    expect([failed.length, (await now(job))?.state]).toEqual([1, 'failed']);
  });

  test('an error that is not ours reaches the subject as a fixed sentence, with its cause', async () => {
    await enqueue({ attemptsMax: 1 });
    const { failed, onFailed } = marks();
    const bug = new TypeError('secret path');
    await start(
      async () => {
        throw bug;
      },
      { onFailed },
    ).idle();
    expect(failed[0]?.error).toMatchObject({
      code: 'internal',
      message: 'Something went wrong inside the server.',
      cause: bug,
    });
  });

  test('job and mark are one: when the mark fails the job has not ended, and both happen later', async () => {
    const job = await enqueue({ attemptsMax: 1, leasesLostMax: 5 });
    const { failed, onFailed } = marks();
    let broken = true;
    const hooks = {
      onFailed: async (tx: Catalog, each: Job, error: FirnError) => {
        await onFailed(tx, each, error);
        if (broken) throw new FirnError('overloaded', 'down');
      },
    };
    const worker = start(
      async () => {
        throw new Error('no');
      },
      { ...hooks, workerId: 'first-life' },
    );
    await worker.idle();
    expect(told('trouble')).toMatchObject([{ during: 'record', job: { id: job.id } }]);
    expect((await now(job))?.state).toBe('running');
    broken = false;
    await worker.stop(0);
    failed.length = 0;
    await start(
      async () => {
        throw new Error('no');
      },
      { ...hooks, takeOverPrefix: 'first-' },
    ).idle();
    expect([(await now(job))?.state, failed.length]).toEqual(['failed', 1]);
  });

  test('a subject that needs no mark does not keep its job from ending', async () => {
    const job = await enqueue({ attemptsMax: 1 });
    await start(
      async () => {
        throw new Error('no');
      },
      {
        onFailed: async () => {
          throw new FirnError('conflict', 'cancelled already');
        },
      },
    ).idle();
    expect((await now(job))?.state).toBe('failed');
    expect(told('trouble')).toMatchObject([{ during: 'subject' }]);
  });

  test('a job that took its workers down too often is ended with its mark by the next one', async () => {
    const job = await enqueue({ leasesLostMax: 1 });
    await catalog.jobs.claim({ kinds: [kind], workerId: 'dead', leaseMs: -1_000, limit: 1 });
    const { failed, onFailed } = marks();
    await start(finish, { onFailed }).idle();
    expect(failed).toMatchObject([{ job: { id: job.id, leasesLost: 1 }, error: { code: 'internal' } }]);
    expect((await now(job))?.state).toBe('failed');
    expect(told('taken-back')).toMatchObject([{ final: true }]);
  });

  test('after a restart the earlier life’s jobs run at once, though their leases are long', async () => {
    const job = await enqueue();
    await catalog.jobs.claim({ kinds: [kind], workerId: `${kind}-1`, leaseMs: 3600_000, limit: 1 });
    await start(finish, { workerId: `${kind}-2`, takeOverPrefix: `${kind}-` }).idle();
    expect(await now(job)).toMatchObject({ state: 'done', leasesLost: 1 });
    expect(told('taken-back')).toMatchObject([{ final: false }]);
  });
});

describe('leases', () => {
  test('heartbeats three times a lease, and stops with the job', async () => {
    const beats: number[] = [];
    let known = 0;
    const jobs = {
      ...catalog.jobs,
      heartbeat: async (...args: Parameters<Catalog['jobs']['heartbeat']>) => {
        beats.push(timers.nowMs());
        const renewed = await catalog.jobs.heartbeat(...args);
        // The keeper knows of it then.
        setImmediate(() => (known += 1));
        return renewed;
      },
    };
    await enqueue();
    const { run, started } = hanging();
    const worker = start(run, { catalog: { ...catalog, jobs }, pollMs: 3600_000 });
    await started;
    for (let beat = 1; beat <= 3; beat++) {
      timers.advance(leaseMs / 3);
      await vi.waitUntil(() => known === beat);
    }
    expect(beats).toEqual([leaseMs / 3, (2 * leaseMs) / 3, leaseMs]);
    await worker.stop(1_000);
    expect(timers.pending).toBe(0);
  });

  test('a lease that another worker took aborts the handler, and nothing is recorded', async () => {
    const job = await enqueue();
    const { run, started } = hanging();
    const worker = start(run, { leaseMs: -1_000, pollMs: 3600_000 });
    const ctx = await started;
    await catalog.jobs.reap();
    const [theirs] = await catalog.jobs.claim({ kinds: [kind], workerId: 'other', leaseMs, limit: 1 });
    const lost = eventOf('lost');
    worker.wake();
    expect(await lost).toMatchObject({ job: { id: job.id } });
    expect(ctx.signal.reason).toMatchObject({ why: 'lost-lease', code: 'cancelled' });
    expect(await now(job)).toEqual(theirs);
    await expectCode(catalog.jobs.complete(ctx.claim), 'conflict');
  });

  test('a catalog out of reach for a whole lease aborts the handler', async () => {
    await enqueue();
    const { run, started } = hanging();
    const jobs = {
      ...catalog.jobs,
      heartbeat: async () => {
        throw new FirnError('overloaded', 'down');
      },
    };
    start(run, { catalog: { ...catalog, jobs }, pollMs: 3600_000 });
    const { signal } = await started;
    for (let beat = 1; beat <= 2; beat++) {
      timers.advance(leaseMs / 3);
      await catalog.probe();
      expect(signal.aborted).toBe(false);
    }
    const aborted = expect(untilAborted(signal)).rejects.toMatchObject({ why: 'lost-lease' });
    timers.advance(leaseMs / 3);
    await aborted;
    expect(told('trouble')).toMatchObject([{ during: 'heartbeat' }, { during: 'heartbeat' }, { during: 'heartbeat' }]);
  });

  test('a handler that still tidies up after completing its job does not see a lost lease', async () => {
    await enqueue();
    let step = (_: JobContext): void => undefined;
    const completed = new Promise<JobContext>((resolve) => {
      step = resolve;
    });
    let tidy = (): void => undefined;
    const tidied = new Promise<void>((resolve) => {
      tidy = resolve;
    });
    const worker = start(async (job, ctx) => {
      const outcome = await finish(job, ctx);
      step(ctx);
      await tidied;
      return outcome;
    });
    const { signal } = await completed;
    worker.wake();
    await catalog.probe();
    await catalog.probe();
    tidy();
    await worker.idle();
    expect(signal.aborted).toBe(false);
    expect(told('finished')).toMatchObject([{ outcome: 'done' }]);
  });

  test('a worker whose leases lapsed while it was blocked renews them before it takes back lapsed ones', async () => {
    const job = await enqueue();
    const jobs = {
      ...catalog.jobs,
      claim: (input: Parameters<Catalog['jobs']['claim']>[0]) => catalog.jobs.claim({ ...input, leaseMs: -1_000 }),
    };
    const { run, started } = hanging();
    start(run, { catalog: { ...catalog, jobs }, concurrency: 2 });
    const { signal, claim } = await started;
    // The next poll takes back first and claims then, so once this job starts, taking back is over.
    const next = await enqueue();
    const startedNext = new Promise<void>((resolve) => {
      heard = (event) => {
        if (event.kind === 'started' && event.job.id === next.id) resolve();
      };
    });
    timers.advance(pollMs);
    await startedNext;
    expect(await now(job)).toMatchObject({ state: 'running', fence: claim.fence, leasesLost: 0 });
    expect(signal.aborted).toBe(false);
  });
});

describe('cancelling', () => {
  test('a cancel reaches the running handler with the next wake', async () => {
    const job = await enqueue();
    const { run, started } = hanging();
    const marked: string[] = [];
    const worker = start(run, {
      onCancelled: async (tx, each) => {
        await tx.probe();
        marked.push(each.id);
      },
    });
    const { signal } = await started;
    await catalog.jobs.requestCancel(kind, job.subjectId);
    worker.wake();
    await worker.idle();
    expect(signal.reason).toBeInstanceOf(JobAborted);
    expect(signal.reason).toMatchObject({ why: 'cancel' });
    expect([marked, (await now(job))?.state]).toEqual([[job.id], 'cancelled']);
    expect(told('finished')).toMatchObject([{ outcome: 'cancelled' }]);
  });

  test('a handler may mark its subject and end its job itself', async () => {
    const job = await enqueue();
    const marked: string[] = [];
    const worker = start(
      async (_, { claim }) => {
        await catalog.transaction((tx) => tx.jobs.cancelled(claim));
        return { kind: 'cancelled' };
      },
      {
        onCancelled: async (_, each) => {
          marked.push(each.id);
        },
      },
    );
    await worker.idle();
    expect([marked, (await now(job))?.state]).toEqual([[], 'cancelled']);
    expect(told('finished')).toMatchObject([{ outcome: 'cancelled' }]);
  });

  test('a job cancelled while its worker was dead starts with a fired signal', async () => {
    const job = await enqueue();
    await catalog.jobs.claim({ kinds: [kind], workerId: 'dead', leaseMs: -1_000, limit: 1 });
    await catalog.jobs.requestCancel(kind, job.subjectId);
    await start(async (_, { signal }) => {
      signal.throwIfAborted();
      throw new Error('not aborted');
    }).idle();
    expect((await now(job))?.state).toBe('cancelled');
  });

  test('a result that was recorded before the cancel arrived stays', async () => {
    const job = await enqueue();
    const worker = start(async (each, ctx) => {
      await catalog.jobs.requestCancel(kind, each.subjectId);
      return finish(each, ctx);
    });
    await worker.idle();
    expect((await now(job))?.state).toBe('done');
  });
});

describe('stopping', () => {
  test('running jobs are interrupted and go back uncounted; nothing more is claimed', async () => {
    const [job, next] = [await enqueue(), await enqueue()];
    const { run, started } = hanging();
    const worker = start(run);
    const { signal } = await started;
    await worker.stop(10_000);
    expect(signal.reason).toMatchObject({ why: 'shutdown' });
    expect(await now(job)).toMatchObject({ state: 'queued', attempts: 0, leasesLost: 0 });
    worker.wake();
    timers.advance(10 * pollMs);
    await worker.idle();
    expect(await now(next)).toMatchObject({ state: 'queued', fence: 0 });
    expect(timers.pending).toBe(0);
  });

  test('a handler that finishes in time keeps its result', async () => {
    const job = await enqueue();
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const worker = start(async (each, ctx) => {
      begin();
      await untilAborted(ctx.signal).catch(() => undefined);
      return finish(each, ctx);
    });
    await begun;
    await worker.stop(10_000);
    expect((await now(job))?.state).toBe('done');
  });

  test('a handler that does not stop in time loses its job and can record nothing', async () => {
    const job = await enqueue();
    let begin = (_: JobContext): void => undefined;
    const begun = new Promise<JobContext>((resolve) => {
      begin = resolve;
    });
    const worker = start((_, ctx) => {
      begin(ctx);
      return new Promise<never>(() => undefined);
    });
    const { claim, signal } = await begun;
    const stopped = worker.stop(5_000);
    await untilAborted(signal).catch(() => undefined);
    await catalog.probe();
    timers.advance(5_000);
    await stopped;
    expect(await now(job)).toMatchObject({ state: 'queued', attempts: 0 });
    await expectCode(catalog.jobs.complete(claim), 'conflict');
  });
});

describe('a worker', () => {
  test('takes what its devices allow at the moment of the claim', async () => {
    const kinds: DeviceKind[][] = [['cpu'], ['cpu', 'cuda']];
    const { subjectId } = await catalog.jobs.enqueue({ kind, subjectId: freshName(), device: 'required' });
    const done: string[] = [];
    const worker = start(
      async (job, { claim }) => {
        done.push(job.subjectId);
        await catalog.jobs.complete(claim);
        return { kind: 'done' };
      },
      { devices: async () => ({ kinds: kinds[0]!, waitMs: 0, livingMs: 0 }) },
    );
    await worker.idle();
    expect(done).toEqual([]);
    kinds.shift();
    await worker.idle();
    expect(done).toEqual([subjectId]);
  });
});
