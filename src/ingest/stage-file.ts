import type { Checkpoint, CheckpointFile } from '../catalog/catalog.ts';
import type { FileRole } from '../checkpoint/role.ts';
import { ArrivingBody, type BodyRules } from './arriving-body.ts';
import { stagedPrefix, type IngestContext } from './ingest-context.ts';
import { mustBeSafetensors } from './role-of-file.ts';
import { stageBody, type StagedBody } from './stage-body.ts';
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
  const { catalog, limits, headerLimits, budget } = ctx;
  const rules: BodyRules = {
    sizeMaxBytes: Math.min(limits.fileBytesMax, limits.stagedBytesPerRunMax),
    // Once received, size and digest are those of the earlier body, which this one may replace.
    ...(file.known !== undefined && !file.known.received && { announced: file.known }),
    ...(mustBeSafetensors(file.path, file.role) && { headerLimits }),
  };
  const body = new ArrivingBody(upload, rules);
  const ticket = await budget.admit(catalog, place, body.lengthBytes);
  try {
    return await stageBody(ctx, body, { prefix: `${stagedPrefix}${place.id}/`, sizeMaxBytes: rules.sizeMaxBytes, onProgress: ticket.grow });
  } finally {
    await ticket.release();
  }
}
