import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalog, Checkpoint, CheckpointFile, EvalSet } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { Downloads, OpenedFile } from '../restore/downloads.ts';
import { restoreToFile } from '../restore/restore-to-file.ts';
import { Slots } from '../store/slots.ts';
import { examineEvalSet, type EvalSetReport } from './examine-eval-set.ts';
import type { EvalSetContext } from './check-eval-set.ts';
import { evalSetDirectory, localEvalSet } from './local-eval-set.ts';

/** Checks of one process at once, each with a model on its scratch disk, and those that may wait. */
const checksAtOnce = 1;
const checksWaitingMax = 8;

export interface CheckWithCheckpoint extends EvalSetContext {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly downloads: Pick<Downloads, 'openFile' | 'openObject'>;
}

/** Measures one checkpoint, as uploaded where those bytes are kept, on an eval set; see `examineEvalSet`. */
export type CheckpointCheck = (evalSet: EvalSet, checkpoint: Checkpoint, signal?: AbortSignal) => Promise<EvalSetReport>;

/**
 * The check over one process's scratch disk. It rejects with `eval-set-not-ready` (a part is missing),
 * `upload-incomplete` (the checkpoint has no model file that arrived), `overloaded`, and the errors of
 * `examineEvalSet`.
 */
export function checkWithCheckpoint(ctx: CheckWithCheckpoint): CheckpointCheck {
  const slots = new Slots({ count: checksAtOnce, waitingMax: checksWaitingMax });
  return async (evalSet, checkpoint, signal) => {
    const giveBack = await slots.take(signal);
    try {
      await mkdir(ctx.workDirectory, { recursive: true });
      const directory = await mkdtemp(join(ctx.workDirectory, 'check-'));
      try {
        // Parts of an open set may still change: their copies go with the check.
        const home = evalSet.state === 'ready' ? evalSetDirectory(ctx.workDirectory) : directory;
        const local = await localEvalSet(ctx.store, evalSet, home, signal);
        return await examineEvalSet(ctx, local, await writeModel(ctx, checkpoint, directory, signal), signal);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    } finally {
      giveBack();
    }
  };
}

/** Writes the model files of a checkpoint; returns their paths. */
async function writeModel(ctx: CheckWithCheckpoint, checkpoint: Checkpoint, directory: string, signal?: AbortSignal): Promise<string[]> {
  const models = (await ctx.catalog.files.list(checkpoint.id)).filter(({ role, received }) => role === 'model' && received);
  if (models.length === 0) throw new FirnError('upload-incomplete', 'No model file of the checkpoint has arrived yet.');
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

function openUploadOrResult({ downloads }: CheckWithCheckpoint, checkpoint: Checkpoint, file: CheckpointFile): Promise<OpenedFile> {
  return file.rawKey === undefined ? downloads.openFile(checkpoint, file) : downloads.openObject(checkpoint, file.rawKey);
}
