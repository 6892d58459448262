import { FirnError, type FirnErrorCode } from '../checkpoint/firn-error.ts';
import type { ArrivingBody, BodyFacts } from './arriving-body.ts';
import type { IngestContext } from './ingest-context.ts';

/** A body in the store that no record refers to yet. */
export interface StagedBody extends BodyFacts {
  readonly key: string;
  readonly storedBytes: number;
}

export interface StageOptions {
  /** What the random part of the key follows. */
  readonly prefix: string;
  readonly sizeMaxBytes: number;
  /** Hears the bytes so far; may throw, or keep the next ones waiting. */
  readonly onProgress?: (sizeBytes: number) => void | Promise<void>;
}

/** Streams a body to a fresh key; nothing stays when it is refused or fails. Errors: the body's and the store's. */
export async function stageBody(
  { store, newKeyPart }: Pick<IngestContext, 'store' | 'newKeyPart'>,
  body: ArrivingBody,
  { prefix, sizeMaxBytes, onProgress }: StageOptions,
): Promise<StagedBody> {
  const { key, storedBytes } = await store.put(`${prefix}${newKeyPart()}`, body.pieces(onProgress), { sizeMaxBytes });
  return { key, storedBytes, ...body.facts() };
}

/** What a record is refused with; anything else may have happened after it was made. */
const refusals: ReadonlySet<FirnErrorCode> = new Set(['conflict', 'not-found', 'step-exists', 'layout-mismatch', 'invalid-request', 'upload-busy']);

/**
 * Enters a staged body into the catalog. A definite refusal removes the object again; after any other failure the record may exist all the same, so
 * the object is left to the sweep.
 */
export async function recordStaged<T>({ store }: Pick<IngestContext, 'store'>, staged: Pick<StagedBody, 'key'>, record: () => Promise<T>): Promise<T> {
  try {
    return await record();
  } catch (err) {
    if (err instanceof FirnError && refusals.has(err.code)) await dropObjects({ store }, [staged.key]);
    throw err;
  }
}

/** Deletes objects nobody refers to any more. Those that stay after a failure are found by the sweep. */
export async function dropObjects({ store }: Pick<IngestContext, 'store'>, keys: readonly (string | undefined)[]): Promise<void> {
  await store.deleteMany(keys.filter((key) => key !== undefined)).catch(() => undefined);
}
