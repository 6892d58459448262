import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { EvalSet, EvalSetPart } from '../catalog/contract/eval-set-records.ts';
import type { Precondition } from '../catalog/contract/precondition.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import type { FileRole } from '../checkpoint/role.ts';
import { commitCheckpoint, type CommittedCheckpoint } from './checkpoint/commit-checkpoint.ts';
import { commitEvalSet, type EvalSetCheck } from './eval-set/commit-eval-set.ts';
import type { IngestContext } from './ingest-context.ts';
import { pushCheckpoint, type Push } from './checkpoint/push-checkpoint.ts';
import { receiveEvalSetPart } from './eval-set/receive-eval-set-part.ts';
import { receiveFile, type ReceivedFile } from './checkpoint/receive-file.ts';
import { reserveCheckpoint, type Reservation } from './checkpoint/reservation/reserve-checkpoint.ts';
import { reserveFolder, type Folder, type ReservedFolder } from './checkpoint/reservation/reserve-folder.ts';
import type { ChangeOptions } from './run/change-run.ts';
import type { Upload } from './stage/upload.ts';

/** The verbs of uploads, bound to one context; each is described in its own file. */
export interface Ingest {
  reserveCheckpoint(run: Run, reservation: Reservation): Promise<Checkpoint>;
  reserveFolder(run: Run, folder: Folder, signal?: AbortSignal): Promise<ReservedFolder>;
  receiveFile(
    run: Run,
    checkpoint: Checkpoint,
    file: { path: string; role?: FileRole },
    upload: Upload,
  ): Promise<ReceivedFile>;
  commitCheckpoint(run: Run, checkpoint: Checkpoint, options?: ChangeOptions): Promise<CommittedCheckpoint>;
  pushCheckpoint(run: Run, push: Push): Promise<CommittedCheckpoint>;
  receiveEvalSetPart(evalSet: EvalSet, part: EvalSetPart, upload: Upload, precondition?: Precondition): Promise<void>;
  commitEvalSet(evalSet: EvalSet, precondition?: Precondition): Promise<EvalSet>;
  deleteEvalSet(evalSet: EvalSet, precondition?: Precondition): Promise<void>;
}

export function createIngest(ctx: IngestContext, checkEvalSet: EvalSetCheck): Ingest {
  return {
    reserveCheckpoint: (run, reservation) => reserveCheckpoint(ctx, run, reservation),
    reserveFolder: (run, folder, signal) => reserveFolder(ctx, run, folder, signal),
    receiveFile: (_run, checkpoint, file, upload) => receiveFile(ctx, checkpoint.id, file, upload),
    commitCheckpoint: (run, checkpoint, options) => commitCheckpoint(ctx, run, checkpoint.id, options),
    pushCheckpoint: (run, push) => pushCheckpoint(ctx, run, push),
    receiveEvalSetPart: (evalSet, part, upload, precondition) =>
      receiveEvalSetPart(ctx, { evalSetId: evalSet.id, part, precondition }, upload),
    commitEvalSet: (evalSet, precondition) => commitEvalSet(ctx, evalSet.id, checkEvalSet, precondition),
    deleteEvalSet: (evalSet, precondition) =>
      ctx.catalog.transaction(async (tx) => {
        await precondition?.(tx);
        await tx.evalSets.delete(evalSet.id);
      }),
  };
}
