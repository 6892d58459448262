import type { Catalog } from '../../catalog/contract/catalog.ts';
import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import type { CheckedBody, BodyFacts } from './checked-body.ts';
import type { IngestContext } from '../ingest-context.ts';
import { unfitCodes } from '../refuse-unfit.ts';
import type { StagingTicket } from './staging-budget.ts';

/** A body in the store that no record refers to yet. */
export interface StagedBody extends BodyFacts {
  readonly key: string;
  readonly storedBytes: number;
  /** Its room, to be released in the transaction that records it; absent where it took none. */
  readonly bodyReservationId?: string;
}

export interface StageOptions {
  /** What the random part of the key follows. */
  readonly prefix: string;
  readonly sizeMaxBytes: number;
  /** Its room, which grows with it; absent where it has room already. */
  readonly ticket?: StagingTicket;
}

/** Streams a body to a fresh key; nothing stays when it is refused or fails. Errors: the body's and the store's. */
export async function stageBody(
  { store, newKeyPart }: Pick<IngestContext, 'store' | 'newKeyPart'>,
  body: CheckedBody,
  { prefix, sizeMaxBytes, ticket }: StageOptions,
): Promise<StagedBody> {
  const { key, storedBytes } = await store.put(`${prefix}${newKeyPart()}`, body.pieces(ticket?.grow), { sizeMaxBytes });
  return { key, storedBytes, ...(ticket && { bodyReservationId: ticket.bodyReservationId }), ...body.facts() };
}

/** What a record is refused with; anything else may have happened after it was made. */
const refusals: ReadonlySet<FirnErrorCode> = new Set([
  'conflict',
  'not-found',
  'step-exists',
  'checkpoint-failed',
  'layout-mismatch',
  'invalid-request',
  'upload-busy',
  ...unfitCodes,
]);

/**
 * Enters a staged body into the catalog. A definite refusal removes the object again; after any other failure the
 * record may exist all the same, so the object is left to the collection of orphans.
 */
export async function recordStaged<T>(
  { store }: Pick<IngestContext, 'store'>,
  staged: Pick<StagedBody, 'key'>,
  record: () => Promise<T>,
): Promise<T> {
  try {
    return await record();
  } catch (err) {
    if (err instanceof FirnError && refusals.has(err.code)) await dropObjects({ store }, [staged.key]);
    throw err;
  }
}

/** Gives back the room of a body, in the transaction that records it. */
export async function releaseRoom(
  tx: Pick<Catalog, 'bodyReservations'>,
  { bodyReservationId }: Pick<StagedBody, 'bodyReservationId'>,
): Promise<void> {
  if (bodyReservationId !== undefined) await tx.bodyReservations.release(bodyReservationId);
}

/**
 * Deletes objects that no record ever referred to; what a record has named is marked for deletion instead, in the
 * transaction that takes its name away. Those that stay after a failure are collected as orphans.
 */
export async function dropObjects(
  { store }: Pick<IngestContext, 'store'>,
  keys: readonly (string | undefined)[],
): Promise<void> {
  await store.deleteMany(keys.filter((key) => key !== undefined)).catch(() => undefined);
}
