import type { Catalog } from '../../catalog/contract/catalog.ts';
import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import type { CheckedBody, BodyFacts } from './checked-body.ts';
import type { IngestContext } from '../ingest-context.ts';
import { unfitCodes } from '../refuse-unfit.ts';
import type { StagingTicket } from './staging-budget.ts';

/** A stored body that no record refers to yet. */
export interface StagedBody extends BodyFacts {
  readonly key: string;
  readonly storedBytes: number;
  /** Its reservation, to be released in the transaction that records it; absent if it has none. */
  readonly bodyReservationId?: string;
}

export interface StageOptions {
  /** The part of the key before its random end. */
  readonly prefix: string;
  readonly sizeMaxBytes: number;
  /** Its reservation, which grows with it; absent if it has room already. */
  readonly ticket?: StagingTicket;
}

/** Streams a body to a new key; nothing stays if it is refused or fails. Errors: the body's and the store's. */
export async function stageBody(
  { store, newKeyPart }: Pick<IngestContext, 'store' | 'newKeyPart'>,
  body: CheckedBody,
  { prefix, sizeMaxBytes, ticket }: StageOptions,
): Promise<StagedBody> {
  const { key, storedBytes } = await store.put(`${prefix}${newKeyPart()}`, body.pieces(ticket?.grow), { sizeMaxBytes });
  return { key, storedBytes, ...(ticket && { bodyReservationId: ticket.bodyReservationId }), ...body.facts() };
}

/** Codes that mean that the record was not made; after any other failure it may exist. */
const refusals: ReadonlySet<FirnErrorCode> = new Set([
  'conflict',
  'not-found',
  'step-exists',
  'run-closed',
  'checkpoint-failed',
  'layout-mismatch',
  'invalid-request',
  'upload-busy',
  ...unfitCodes,
]);

/**
 * Records staged bodies in the catalog. A definite refusal removes their objects again. After any other failure the
 * record may exist, so the objects are left to the collection of orphans.
 */
export async function recordStaged<T>(
  { store }: Pick<IngestContext, 'store'>,
  staged: Pick<StagedBody, 'key'> | readonly Pick<StagedBody, 'key'>[],
  record: () => Promise<T>,
): Promise<T> {
  try {
    return await record();
  } catch (err) {
    if (err instanceof FirnError && refusals.has(err.code))
      await dropObjects(
        { store },
        [staged].flat().map(({ key }) => key),
      );
    throw err;
  }
}

/** Releases the reservation of a body, in the transaction that records it. */
export async function releaseRoom(
  tx: Pick<Catalog, 'bodyReservations'>,
  { bodyReservationId }: Pick<StagedBody, 'bodyReservationId'>,
): Promise<void> {
  if (bodyReservationId !== undefined) await tx.bodyReservations.release(bodyReservationId);
}

/**
 * Deletes objects that no record ever named. Objects that a record named are marked for deletion instead, in the
 * transaction that removes the name. Objects that stay after a failure are collected as orphans.
 */
export async function dropObjects(
  { store }: Pick<IngestContext, 'store'>,
  keys: readonly (string | undefined)[],
): Promise<void> {
  await store.deleteMany(keys.filter((key) => key !== undefined)).catch(() => undefined);
}
