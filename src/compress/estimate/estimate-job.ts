import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Estimate } from '../../catalog/contract/estimate-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import type { Claim } from '../../catalog/contract/work/job-records.ts';
import { fencedCatalog } from '../../catalog/fenced-catalog.ts';
import type { FirnError } from '../../checkpoint/firn-error.ts';
import { compressCheckpoint } from '../compress-checkpoint.ts';
import type { CompressContext } from '../compress-context.ts';
import { dropPackage } from '../encode/drop-package.ts';
import { runOfCheckpoint } from '../run-of-checkpoint.ts';
import { uploadedAgain } from './uploaded-again.ts';

/**
 * The handler of `estimate` jobs: compresses a ready checkpoint at other thresholds, as if it came now, keeps the
 * result, and deletes the package. The checkpoint and its trials stay as they are; trials of its own search that fit
 * are not evaluated again. Repeatable at any point: what a crash leaves are objects without a name, which are
 * collected. Rejects with the failure.
 */
export async function runEstimateJob(
  given: CompressContext,
  checkpointId: string,
  claim: Claim,
  signal: AbortSignal,
): Promise<{ readonly kind: 'done' }> {
  const { catalog } = given;
  const [checkpoint, estimate] = await Promise.all([
    catalog.checkpoints.get(checkpointId),
    catalog.estimates.get(checkpointId),
  ]);
  const run = checkpoint && (await catalog.runs.get(checkpoint.runId));
  if (checkpoint === undefined || estimate === undefined || run === undefined) {
    await catalog.jobs.complete(claim);
    return { kind: 'done' };
  }
  const ctx: CompressContext = { ...given, catalog: lookingOn(fencedCatalog(catalog, claim), checkpoint) };
  await ctx.catalog.estimates.move(checkpointId, 'working');
  const attempt = `estimate-${claim.fence}` as const;
  const uploaded = await uploadedAgain(ctx, checkpoint, attempt, signal);
  try {
    const asked = withThresholds(checkpoint, run, estimate);
    const compressed = await compressCheckpoint(ctx, { checkpoint: asked, run, rows: uploaded.rows, attempt }, signal);
    await dropPackage(ctx, compressed.packageKey);
    const { result } = compressed;
    const warnings = [...uploaded.warnings, ...result.warnings];
    await catalog.transaction(async (tx) => {
      await tx.estimates.move(checkpointId, 'done', { result: { ...result, warnings }, finishedAt: new Date() });
      await tx.jobs.complete(claim);
    });
  } finally {
    await uploaded.discard();
  }
  return { kind: 'done' };
}

/** Marks the estimate of a job that ended without a result, in the transaction that ends the job. */
export async function markEstimateEnded(
  tx: Catalog,
  checkpointId: string,
  ended: { readonly as: 'failed'; readonly error: FirnError } | { readonly as: 'cancelled' },
): Promise<void> {
  const reason = ended.as === 'failed' ? { errorCode: ended.error.code, errorMessage: ended.error.message } : {};
  await tx.estimates.move(checkpointId, ended.as, { ...reason, finishedAt: new Date() });
}

/** The checkpoint as if it came now, with the thresholds that are asked for. */
function withThresholds(given: Checkpoint, run: Run, { thresholds }: Estimate): Checkpoint {
  const { final: _final, ...checkpoint } = given;
  const { evalSetId } = runOfCheckpoint(run, given);
  return { ...checkpoint, thresholds, ...(evalSetId !== undefined && { evalSetId }) };
}

/**
 * The catalog without the files of the checkpoint itself, which it must not refer to, and without a record of trials.
 */
function lookingOn(catalog: Catalog, { id }: Checkpoint): Catalog {
  return {
    ...catalog,
    files: {
      ...catalog.files,
      holding: async (...asked) =>
        (await catalog.files.holding(...asked)).filter(({ checkpointId }) => checkpointId !== id),
    },
    trials: { ...catalog.trials, record: () => Promise.resolve() },
  };
}
