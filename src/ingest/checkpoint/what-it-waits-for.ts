import type { BlockingCheckpoint, Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
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
    ? { inWords: 'waits for a worker' }
    : describeBlocking(blocking, { now: await now(), reservationTtlMs: limits.reservationTtlMs });
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
