import type { Checkpoint, CheckpointFile } from '../catalog/catalog.ts';
import type { FileRole } from '../checkpoint/role.ts';
import { ArrivingBody, type BodyRules } from './arriving-body.ts';
import { stagedPrefix, type IngestContext } from './ingest-context.ts';
import { mustBeSafetensors } from './role-of-file.ts';
import { stageBody, type StagedBody, type StageOptions } from './stage-body.ts';
import type { Upload } from './upload.ts';

export interface FileToStage {
  readonly path: string;
  readonly role: FileRole;
  /** What the catalog has of it. */
  readonly known: CheckpointFile | undefined;
}

/** What the room for a body is taken for. */
export type StagingPlace = Pick<Checkpoint, 'id' | 'runId' | 'sequence'>;

/** Streams one file of a checkpoint to a fresh key under `staged/<place id>/`, within the limits. Errors: the body's, the store's and `overloaded`. */
export async function stageFile(ctx: IngestContext, place: StagingPlace, file: FileToStage, upload: Upload): Promise<StagedBody> {
  const rules = fileRules(ctx, file);
  const body = new ArrivingBody(upload, rules);
  const stage: StageOptions = { prefix: `${stagedPrefix}${place.id}/`, sizeMaxBytes: rules.sizeMaxBytes };
  if (upload.hasRoom === true) return stageBody(ctx, body, stage);
  const ticket = await ctx.budget.admit(ctx.catalog, place, body.lengthBytes);
  try {
    return await stageBody(ctx, body, { ...stage, onProgress: ticket.grow });
  } finally {
    await ticket.release();
  }
}

/** What the bytes of a file are held to. */
export function fileRules({ limits, headerLimits }: Pick<IngestContext, 'limits' | 'headerLimits'>, { path, role, known }: FileToStage): BodyRules {
  return {
    sizeMaxBytes: Math.min(limits.fileBytesMax, limits.stagedBytesPerRunMax),
    // Once received, size and digest are those of the earlier body, which this one may replace.
    ...(known !== undefined && !known.received && { announced: known }),
    ...(mustBeSafetensors(path, role) && { headerLimits }),
  };
}
