import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import { wishOfJobs } from '../../checkpoint/options/device-wish.ts';
import type { ChangeOptions } from '../run/change-run.ts';
import { evalSetAfter, evaluationAfter, type EvaluationChange } from '../run/evaluation-of-run.ts';
import { encodeJobKind, type IngestContext } from '../ingest-context.ts';
import { readLayouts } from './read-layouts.ts';
import { refuseUnfit } from '../refuse-unfit.ts';
import { joinLayouts } from '../run/run-layout.ts';
import { settleLayout } from '../run/settle-layout.ts';

/**
 * Puts a failed checkpoint back into the queue, at its place in the order of its run, with the uploaded bytes. It is
 * measured with the run's current eval set and thresholds, or with the given ones. The limits of staged bytes do not
 * apply, because it was acknowledged before. One transaction: at any instant it is failed, or queued with its job.
 * Errors: `conflict` (it is not failed, or its bytes are gone), `layout-mismatch` (the run has been built with other
 * tensors since), `not-found`, `eval-set-not-ready`, `metric-unknown`, `invalid-request`, those of `refuseUnfit`, the
 * store's, and what the precondition throws.
 */
export async function retryCheckpoint(
  ctx: IngestContext,
  run: Run,
  { id }: Pick<Checkpoint, 'id'>,
  change: EvaluationChange,
  { precondition, signal }: ChangeOptions = {},
): Promise<Checkpoint> {
  const { catalog, tracer } = ctx;
  const checkpoint = await catalog.checkpoints.get(id);
  if (checkpoint === undefined) throw new FirnError('not-found', 'There is no such checkpoint.');
  if (precondition !== undefined) await catalog.transaction(precondition);
  checkFailed(checkpoint);
  const files = await catalog.files.list(id);
  await checkKept(ctx, files);
  const model = joinLayouts(await readLayouts(ctx, files, 'model'));
  const evalSet = await evalSetAfter(catalog, run, change);
  if (evalSet !== undefined && run.fidelity === 'lossy') await refuseUnfit(ctx, { evalSet, layout: model, signal });
  const traceparent = tracer.current();
  return catalog.transaction(async (tx) => {
    // The lock requires a live run, and puts a deletion of the run or the step before or after this.
    await tx.runs.lock(run.id);
    await precondition?.(tx);
    await settleLayout(tx, run, checkpoint, model);
    const now = (await tx.runs.get(run.id))!;
    const evaluation = await evaluationAfter(tx, now, ofFinal(change, checkpoint));
    const queued = await tx.checkpoints.retry(id, evaluation);
    await tx.jobs.restart({
      kind: encodeJobKind,
      subjectId: id,
      orderKey: run.id,
      orderSequence: checkpoint.sequence,
      traceparent,
      device: wishOfJobs({ ...now, evalSetId: evaluation.evalSetId }),
    });
    return queued;
  });
}

/** The last checkpoint of a run keeps its own thresholds, unless it is given others. */
function ofFinal(change: EvaluationChange, { final }: Checkpoint): EvaluationChange {
  const thresholds = change.thresholds ?? final?.thresholds;
  return thresholds === undefined ? change : { ...change, thresholds };
}

function checkFailed({ state }: Checkpoint): void {
  if (state !== 'failed')
    throw new FirnError('conflict', `The checkpoint is ${state}; only a failed one can be tried again.`);
}

/** All uploaded bytes must exist: this step does not accept them again. */
async function checkKept({ store }: IngestContext, files: readonly CheckpointFile[]): Promise<void> {
  for (const { path, rawKey, sizeBytes } of files) {
    const object = rawKey === undefined ? undefined : await store.stat(rawKey);
    if (object?.sizeBytes === sizeBytes) continue;
    const kept = `The uploaded bytes of ${quoteName(path)} are not kept any more`;
    throw new FirnError('conflict', `${kept}; delete the step and upload it again.`, { detail: rawKey ?? 'no key' });
  }
}
