import { join } from 'node:path';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Downloads, OpenedFile } from '../../restore/downloads.ts';
import { restoreToFile } from '../../restore/restore-to-file.ts';
import { Slots } from '../../store/slots.ts';
import { examineEvalSet, type EvalSetReport } from './examine-eval-set.ts';
import type { EvalSetContext } from './check-eval-set.ts';
import { evalSetDirectory, localEvalSet } from './local-eval-set.ts';
import { withScratch } from '../scratch/with-scratch.ts';

/** Most checks of one process at once, each with a model on its scratch disk, and most that wait. */
const checksAtOnce = 1;
const checksWaitingMax = 8;
/** Largest share of the free scratch disk that a model may take: uploads and a catalog may be on the same disk. */
const freeShareMax = 0.5;
const mib = 2 ** 20;

export interface CheckWithCheckpoint extends EvalSetContext {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly downloads: Pick<Downloads, 'openFile' | 'openObject'>;
  /** Largest model that is checked, in bytes over its files: the limit of an evaluation. */
  readonly modelBytesMax: number;
  /** Free bytes of the disk that a directory is on. */
  readonly freeBytes: (directory: string) => Promise<number>;
}

/** Measures one checkpoint on an eval set, as uploaded if those bytes are still stored; see `examineEvalSet`. */
export type CheckpointCheck = (
  evalSet: EvalSet,
  checkpoint: Checkpoint,
  signal?: AbortSignal,
) => Promise<EvalSetReport>;

/**
 * The check over one process's scratch disk. It rejects with `eval-set-not-ready` (a part is missing),
 * `upload-incomplete` (the checkpoint has no model file that arrived), `eval-memory` and `storage-full` (the model is
 * too large for this process or its disk, before it is read), `overloaded`, and the errors of `examineEvalSet`.
 */
export function checkWithCheckpoint(ctx: CheckWithCheckpoint): CheckpointCheck {
  const refusal = 'Too many checks of eval sets are waiting for their turn; ask again in a moment.';
  const slots = new Slots({ count: checksAtOnce, waitingMax: checksWaitingMax, refusal });
  return async (evalSet, checkpoint, signal) => {
    const giveBack = await slots.take(signal);
    try {
      return await withScratch(join(ctx.workDirectory, 'check-'), async (directory) => {
        const models = await modelFiles(ctx, checkpoint, directory);
        // Parts of an open set may still change, so their copies are removed with the check.
        const home = evalSet.state === 'ready' ? evalSetDirectory(ctx.workDirectory) : directory;
        const local = await localEvalSet(ctx.store, evalSet, home, signal);
        return examineEvalSet(ctx, local, await writeModel(ctx, { checkpoint, models, directory }, signal), signal);
      });
    } finally {
      giveBack();
    }
  };
}

/** The model files of a checkpoint, if there is room for them. */
async function modelFiles(
  ctx: CheckWithCheckpoint,
  checkpoint: Checkpoint,
  directory: string,
): Promise<CheckpointFile[]> {
  const models = (await ctx.catalog.files.list(checkpoint.id)).filter(
    ({ role, received }) => role === 'model' && received,
  );
  if (models.length === 0) throw new FirnError('upload-incomplete', 'No model file of the checkpoint has arrived yet.');
  const bytes = models.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
  const size = `The model of the checkpoint has ${Math.ceil(bytes / mib)} MiB`;
  if (bytes > ctx.modelBytesMax) {
    throw new FirnError(
      'eval-memory',
      `${size}, and this server checks models of up to ${Math.floor(ctx.modelBytesMax / mib)} MiB on request ` +
        '(FIRN_EVAL_MEMORY_MIB). ' +
        'On your own machine: firn eval-set check GRAPH BATCHES CHECKPOINT. A checkpoint pushed to a run is ' +
        'measured without this bound.',
    );
  }
  const freeBytes = await ctx.freeBytes(directory);
  if (bytes > freeShareMax * freeBytes)
    throw new FirnError('storage-full', `${size}: the server has no room on its scratch disk to measure it now.`, {
      detail: `${freeBytes} bytes free`,
    });
  return models;
}

interface ModelToWrite {
  readonly checkpoint: Checkpoint;
  readonly models: readonly CheckpointFile[];
  readonly directory: string;
}

/** Writes the model files of a checkpoint; returns their paths. */
async function writeModel(
  ctx: CheckWithCheckpoint,
  { checkpoint, models, directory }: ModelToWrite,
  signal?: AbortSignal,
): Promise<string[]> {
  const paths: string[] = [];
  for (const [number, file] of models.entries()) {
    const path = join(directory, `${number}.safetensors`);
    const opened = await openUploadOrResult(ctx, checkpoint, file);
    try {
      await restoreToFile(opened.stream(0, opened.sizeBytes, signal), path);
    } finally {
      await opened.close();
    }
    paths.push(path);
  }
  return paths;
}

function openUploadOrResult(
  { downloads }: CheckWithCheckpoint,
  checkpoint: Checkpoint,
  file: CheckpointFile,
): Promise<OpenedFile> {
  return file.rawKey === undefined
    ? downloads.openFile(checkpoint, file)
    : downloads.openObject(checkpoint, file.rawKey);
}
