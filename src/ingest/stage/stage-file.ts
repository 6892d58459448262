import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { FileRole } from '../../checkpoint/role.ts';
import { CheckedBody, type BodyRules } from './checked-body.ts';
import { stagedPrefix, type IngestContext } from '../ingest-context.ts';
import { mustBeSafetensors } from './role-of-file.ts';
import { stageBody, type StagedBody } from './stage-body.ts';
import type { Upload } from './upload.ts';

export interface FileToStage {
  readonly path: string;
  readonly role: FileRole;
  /** The catalog's record of the file. */
  readonly known: CheckpointFile | undefined;
}

/** The checkpoint, or future checkpoint, that room is reserved for. */
export type StagingPlace = Pick<Checkpoint, 'id' | 'runId' | 'sequence'>;

/**
 * Streams one file of a checkpoint to a new key under `staged/<place id>/`, within the limits, and has it recorded by
 * `record`. The reservation lasts until then, so that the object is always known: as arriving, or as recorded. Errors:
 * the body's, the store's, `overloaded`, `quota-exceeded`, and those of `record`.
 */
export async function stageFile<T>(
  ctx: IngestContext,
  place: StagingPlace,
  { file, upload }: { readonly file: FileToStage; readonly upload: Upload },
  record: (staged: StagedBody) => Promise<T>,
): Promise<T> {
  const rules = fileRules(ctx, file);
  const body = new CheckedBody(upload, rules);
  const stage = { prefix: `${stagedPrefix}${place.id}/`, sizeMaxBytes: rules.sizeMaxBytes };
  const ticket = upload.hasRoom === true ? undefined : await ctx.budget.admit(ctx.catalog, place, body.lengthBytes);
  try {
    return await record(await stageBody(ctx, body, { ...stage, ...(ticket && { ticket }) }));
  } finally {
    await ticket?.release();
  }
}

/** The limits and checks for the bytes of a file. */
export function fileRules(
  { limits, headerLimits }: Pick<IngestContext, 'limits' | 'headerLimits'>,
  { path, role, known }: FileToStage,
): BodyRules {
  return {
    sizeMaxBytes: Math.min(limits.fileBytesMax, limits.stagedBytesPerRunMax),
    // After arrival, size and digest are those of the earlier body, which this one may replace.
    ...(known !== undefined && !known.received && { announced: known }),
    ...(mustBeSafetensors(path, role) ? { headerLimits } : { mayBeEmpty: true }),
  };
}
