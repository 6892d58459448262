import type { Catalog } from '../../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../../catalog/contract/run-records.ts';
import type { FileRole } from '../../../checkpoint/role.ts';
import { wishOfJobs } from '../../../checkpoint/options/device-wish.ts';
import { encodeJobKind } from '../../ingest-context.ts';

export interface OpenedCheckpoint extends Pick<
  Checkpoint,
  'step' | 'fixedConfig' | 'layerTypes' | 'expects' | 'final'
> {
  readonly files: readonly {
    readonly path: string;
    readonly role: FileRole;
    readonly sizeBytes?: number;
    readonly sha256?: string;
  }[];
}

/**
 * Creates an open checkpoint with its announced files and its encode job, which is held until the commit. Inside the
 * caller's transaction. Errors: `step-exists`, `not-found` (the run), `run-closed`.
 */
export async function openCheckpoint(
  tx: Catalog,
  run: Pick<Run, 'id' | 'fidelity' | 'evalSetId' | 'device'>,
  { step, fixedConfig, layerTypes, expects, final, files }: OpenedCheckpoint,
): Promise<Checkpoint> {
  const checkpoint = await tx.checkpoints.reserve({
    runId: run.id,
    step,
    ...(fixedConfig !== undefined && { fixedConfig }),
    ...(layerTypes !== undefined && { layerTypes }),
    ...(expects !== undefined && { expects }),
    ...(final !== undefined && { final }),
  });
  await tx.files.announce(checkpoint.id, files);
  await tx.jobs.enqueue({
    kind: encodeJobKind,
    subjectId: checkpoint.id,
    held: true,
    orderKey: run.id,
    orderSequence: checkpoint.sequence,
    device: wishOfJobs(run),
  });
  return checkpoint;
}
