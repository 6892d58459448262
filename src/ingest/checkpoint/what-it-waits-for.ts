import type { BlockingCheckpoint, Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import { livingMs } from '../../catalog/contract/work/process-records.ts';
import { wishOfJobs } from '../../checkpoint/options/device-wish.ts';
import { durationInWords } from '../../checkpoint/words/duration-in-words.ts';
import type { IngestContext } from '../ingest-context.ts';

/** What a checkpoint that is queued waits for. */
export interface Waiting {
  /** The checkpoint of its run that comes first; absent if it waits for a worker. */
  readonly step?: number;
  readonly state?: BlockingCheckpoint['state'];
  /** Of an open reservation. */
  readonly reservedAt?: Date;
  /** When the reservation is given up unless there is a sign of life. */
  readonly expiresAt?: Date;
  readonly inWords: string;
}

const forWorker: Waiting = { inWords: 'waits for a worker' };
const forGpu: Waiting = { inWords: 'waits for a worker with a GPU, which its run requires; none is running' };

/** A run that requires a GPU waits for as long as no worker has one, which nobody would guess. */
async function forWorkerOf(catalog: Catalog, runId: string): Promise<Waiting> {
  const run = await catalog.runs.get(runId);
  if (run === undefined || wishOfJobs(run) !== 'required') return forWorker;
  return (await catalog.processes.living('worker', livingMs, 'cuda')).count === 0 ? forGpu : forWorker;
}

type Context = Pick<IngestContext, 'catalog' | 'now'> & {
  readonly limits: Pick<IngestContext['limits'], 'reservationTtlMs'>;
};

/** What a queued checkpoint waits for; undefined in any other state. */
export async function whatItWaitsFor(
  { catalog, now, limits }: Context,
  checkpoint: Pick<Checkpoint, 'id' | 'runId' | 'sequence' | 'state'>,
): Promise<Waiting | undefined> {
  if (checkpoint.state !== 'queued') return undefined;
  const blocking = await catalog.checkpoints.blocking(checkpoint);
  return blocking === undefined
    ? forWorkerOf(catalog, checkpoint.runId)
    : describeBlocking(blocking, { now: await now(), reservationTtlMs: limits.reservationTtlMs });
}

/** A checkpoint, as far as what it waits for depends on it. */
type Waiter = Pick<Checkpoint, 'id' | 'runId' | 'sequence' | 'state' | 'step'>;

/**
 * What each queued one of these checkpoints waits for, by id. It asks once for each run: all queued checkpoints of a
 * run wait for the same one, but for that one itself.
 */
export async function whatTheyWaitFor(
  ctx: Context,
  checkpoints: readonly Waiter[],
): Promise<ReadonlyMap<string, Waiting>> {
  const queued = checkpoints.filter(({ state }) => state === 'queued');
  const lastOfRun = new Map<string, Waiter>();
  for (const each of queued)
    if (each.sequence >= (lastOfRun.get(each.runId)?.sequence ?? each.sequence)) lastOfRun.set(each.runId, each);
  const asked = [...lastOfRun.values()].map(async (last) => [last.runId, await whatItWaitsFor(ctx, last)] as const);
  const ofRun = new Map(await Promise.all(asked));
  const each = queued.map(async ({ id, runId, step }) => {
    const waiting = ofRun.get(runId);
    const isFirst = waiting === undefined || waiting.step === step;
    return [id, isFirst ? await forWorkerOf(ctx.catalog, runId) : waiting] as const;
  });
  return new Map(await Promise.all(each));
}

/** Pure. */
export function describeBlocking(
  { step, state, createdAt, touchedAt }: BlockingCheckpoint,
  { now, reservationTtlMs }: { readonly now: Date; readonly reservationTtlMs: number },
): Waiting {
  if (state === 'working') return { step, state, inWords: `waits for step ${step}, which is being compressed` };
  if (state === 'queued') return { step, state, inWords: `waits for step ${step}, which is compressed before it` };
  const expiresAt = new Date(touchedAt.getTime() + reservationTtlMs);
  const age = durationInWords(now.getTime() - createdAt.getTime());
  const left = durationInWords(expiresAt.getTime() - now.getTime());
  return {
    step,
    state,
    reservedAt: createdAt,
    expiresAt,
    inWords: `waits for step ${step}, reserved ${age} ago, expires in ${left} unless files arrive`,
  };
}
