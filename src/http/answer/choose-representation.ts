import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { QuantizableDtype } from '../../checkpoint/dtype.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';

/** The representation that a download of a file returns. */
export type ChosenRepresentation =
  /** An object of the store, unchanged. */
  | {
      readonly source: 'object';
      readonly key: string;
      readonly sizeBytes: number;
      readonly sha256: string;
      readonly etag: string;
    }
  | { readonly source: 'rebuilt'; readonly sizeBytes: number; readonly sha256: string; readonly etag: string }
  /** Size and digest are not in the catalog. */
  | { readonly source: 'view'; readonly dtype: QuantizableDtype; readonly etag: string };

export interface DownloadQuery {
  readonly as?: 'uploaded' | undefined;
  readonly dtype?: QuantizableDtype | undefined;
}

/**
 * Chooses from the catalog's records alone. Pure. `checkpoint-not-ready`, `checkpoint-failed`, `cancelled`,
 * `not-found`, `invalid-request`.
 */
export function chooseRepresentation(
  checkpoint: Checkpoint,
  file: CheckpointFile,
  { as, dtype }: DownloadQuery,
): ChosenRepresentation {
  if (as === 'uploaded') {
    if (dtype !== undefined)
      throw new FirnError('invalid-request', 'A dtype view is made of the rebuilt file; leave out as=uploaded.');
    return uploaded(file);
  }
  checkReady(checkpoint);
  const { resultSha256: sha256, resultBytes: sizeBytes } = file;
  if (sha256 === undefined || sizeBytes === undefined)
    throw new FirnError('not-found', 'The file served the search and is not part of the result.');
  if (dtype !== undefined) return { source: 'view', dtype, etag: `"${sha256}.${dtype.toLowerCase()}"` };
  const etag = `"${sha256}"`;
  if (file.storage !== 'raw') return { source: 'rebuilt', sizeBytes, sha256, etag };
  if (file.rawKey === undefined)
    throw new FirnError('internal', 'The object of the file is gone.', { detail: `file ${file.id}` });
  return { source: 'object', key: file.rawKey, sizeBytes, sha256, etag };
}

/** Throws the error of a rebuilt download whose checkpoint is not ready. */
export function checkReady({ state, errorMessage }: Checkpoint): void {
  switch (state) {
    case 'ready':
      return;
    case 'failed':
      throw new FirnError(
        'checkpoint-failed',
        `The checkpoint failed (${errorMessage ?? 'no reason recorded'}). Its uploaded bytes are at ?as=uploaded. ` +
          'To try it again, POST to its /retry, with {"evalSet": "<name of another eval set>"} if its own ' +
          'was the mistake.',
      );
    case 'cancelled':
      throw new FirnError('cancelled', 'The checkpoint was cancelled. Its uploaded bytes are at ?as=uploaded.');
    case 'open':
      throw new FirnError('checkpoint-not-ready', 'The checkpoint has not been committed yet.');
    case 'queued':
    case 'working':
      throw new FirnError(
        'checkpoint-not-ready',
        'The checkpoint is still being compressed. Its uploaded bytes are at ?as=uploaded.',
      );
  }
}

function uploaded({ received, rawKey, sizeBytes, sha256 }: CheckpointFile): ChosenRepresentation {
  if (!received || rawKey === undefined || sizeBytes === undefined || sha256 === undefined) {
    throw new FirnError('not-found', received ? 'The uploaded bytes are no longer kept.' : 'The file has not arrived.');
  }
  return { source: 'object', key: rawKey, sizeBytes, sha256, etag: `"${sha256}"` };
}
