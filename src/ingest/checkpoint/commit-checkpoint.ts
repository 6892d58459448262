import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import type { IngestContext } from '../ingest-context.ts';
import { namingMissingShards } from '../name-missing-shards.ts';
import { queueCheckpoint } from './queue-checkpoint.ts';
import { readLayouts } from './read-layouts.ts';
import { refuseUnfitFirst } from '../refuse-unfit.ts';
import type { ChangeOptions } from '../run/change-run.ts';
import { revisionId } from './revision-id.ts';
import { checkSensitivity, joinLayouts } from '../run/run-layout.ts';
import { stepFailed } from './step-exists.ts';

export interface CommittedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** False if it was committed before. */
  readonly created: boolean;
}

/**
 * Closes an open checkpoint: all announced files have arrived, and model and sensitivity tensors fit each other and the
 * run. One transaction sets its revision, queues it and releases its encode job; from then on it cannot be lost.
 * Repeating it gives the first answer again, unless the checkpoint has failed since. Errors: `checkpoint-failed`
 * (naming the retry call), those of `refuseUnfit` (it stays open), `upload-incomplete`, `tensor-duplicate`,
 * `layout-mismatch`, `conflict` (cancelled, or files changed meanwhile), `not-found`, and what the precondition
 * throws.
 */
export async function commitCheckpoint(
  ctx: IngestContext,
  run: Run,
  checkpointId: string,
  { precondition, signal }: ChangeOptions = {},
): Promise<CommittedCheckpoint> {
  const checkpoint = await ctx.catalog.checkpoints.get(checkpointId);
  if (checkpoint === undefined) throw new FirnError('not-found', 'There is no such checkpoint.');
  if (precondition !== undefined) await ctx.catalog.transaction(precondition);
  if (checkpoint.state !== 'open') return committedBefore(ctx.catalog, checkpoint);
  const files = await ctx.catalog.files.list(checkpointId);
  checkComplete(files);
  await checkPresent(ctx, files);
  const model = joinLayouts(await readLayouts(ctx, files, 'model'));
  checkSensitivity(model, joinLayouts(await readLayouts(ctx, files, 'sensitivity')));
  const checked = { model, files, traceparent: ctx.tracer.current() };
  try {
    const queued = await namingMissingShards(ctx, { run, checkpoint, files }, async () => {
      await refuseUnfitFirst(ctx, run, { layout: model, signal });
      return ctx.catalog.transaction(async (tx) => {
        await tx.runs.lock(run.id);
        await precondition?.(tx);
        return queueCheckpoint(tx, run, checkpoint, checked);
      });
    });
    return { checkpoint: queued, created: true };
  } catch (err) {
    if (err instanceof FirnError && err.code === 'precondition-failed') throw err;
    const now = await ctx.catalog.checkpoints.get(checkpointId);
    if (now?.revision === revisionId(run.id, checkpoint.step, files)) return { checkpoint: now, created: false };
    throw err;
  }
}

async function committedBefore(catalog: Catalog, checkpoint: Checkpoint): Promise<CommittedCheckpoint> {
  if (checkpoint.revision === undefined)
    throw new FirnError(
      'conflict',
      `The checkpoint is ${checkpoint.state} and was never committed; delete it to upload the step again.`,
    );
  if (checkpoint.state === 'failed') throw await stepFailed(catalog, checkpoint);
  return { checkpoint, created: false };
}

function checkComplete(files: readonly CheckpointFile[]): void {
  if (files.length === 0) throw new FirnError('upload-incomplete', 'The checkpoint has no file.');
  const missing = files.filter(({ received }) => !received);
  if (missing.length === 0) return;
  throw new FirnError(
    'upload-incomplete',
    `${missing.length} of ${files.length} announced files have not arrived, the first is ` +
      `${quoteName(missing[0]!.path)}.`,
  );
}

/** Acknowledge only objects that exist: a loss would otherwise be found too late. */
async function checkPresent({ store }: IngestContext, files: readonly CheckpointFile[]): Promise<void> {
  for (const { path, rawKey, sizeBytes } of files) {
    const object = rawKey === undefined ? undefined : await store.stat(rawKey);
    if (object?.sizeBytes !== sizeBytes)
      throw new FirnError('upload-incomplete', `The file ${quoteName(path)} must be sent again.`, {
        detail: rawKey ?? 'no key',
      });
  }
}
