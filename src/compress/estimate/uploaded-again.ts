import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import { estimableRows } from '../../checkpoint/estimable-rows.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { Downloads } from '../../restore/downloads.ts';
import type { CompressContext } from '../compress-context.ts';

export interface UploadedAgain {
  /** Each with a raw object that has the bytes of the upload. */
  readonly rows: readonly CheckpointFile[];
  /** What is missing, in sentences. */
  readonly warnings: readonly string[];
  /** Deletes what was rebuilt. */
  discard(): Promise<void>;
}

/**
 * The upload of the checkpoint before goes when this one is ready: docs/decisions/0072-rounding-follows-movement.md.
 */
const movementUnknown =
  'The upload of the checkpoint before is no longer kept, so the estimate does not know how the weights moved since ' +
  'then, and may be larger than what would be stored.';

/**
 * The upload of a ready checkpoint: what is kept of it, and what is rebuilt to the same bytes. Rebuilt objects have no
 * name in the catalog, so usage does not count them, and those that a crash leaves are collected. Rejects with
 * `conflict` if the model is gone, and with the errors of restore and store.
 */
export async function uploadedAgain(
  { catalog, store, core, restorer }: CompressContext,
  checkpoint: Checkpoint,
  attempt: string,
  signal: AbortSignal,
): Promise<UploadedAgain> {
  const { kept, rebuilt, leftOut, missing } = estimableRows(await catalog.files.list(checkpoint.id));
  if (missing !== undefined) throw new FirnError('conflict', missing);
  const downloads = new Downloads({ catalog, store, core, restorer });
  const rows = [...kept];
  const keys: string[] = [];
  const discard = (): Promise<void> => store.deleteMany(keys);
  try {
    for (const [number, row] of rebuilt.entries()) {
      const rawKey = `packages/${checkpoint.id.replaceAll('-', '')}-${attempt}-${number}`;
      const opened = await downloads.openFile(checkpoint, row);
      try {
        keys.push(rawKey);
        const { sizeBytes } = opened;
        const body = opened.stream(0, sizeBytes, signal);
        const { storedBytes } = await store.put(rawKey, body, { sizeMaxBytes: sizeBytes, replace: true, signal });
        rows.push({ ...row, rawKey, rawStoredBytes: storedBytes });
      } finally {
        await opened.close();
      }
    }
  } catch (error) {
    await discard().catch(() => undefined);
    throw error;
  }
  const warnings = checkpoint.result?.kind === 'delta' ? [...leftOut, movementUnknown] : leftOut;
  return { rows, warnings, discard };
}
