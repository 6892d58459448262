import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { metricLimits } from '../../checkpoint/quality/degradation-limits.ts';
import { asksForMore, type FinalQuality } from '../../checkpoint/quality/final-quality.ts';
import { measuredUploads } from '../../compress/lineage/measured-uploads.ts';
import { releaseStoredElsewhere } from '../../compress/release-stored-elsewhere.ts';
import { runOfCheckpoint } from '../../compress/run-of-checkpoint.ts';
import { settleThresholds } from './settle-thresholds.ts';

/** Called in the transaction that closes a run. */
export type AfterClose = (tx: Catalog, runId: string) => Promise<void>;

/**
 * Closes a run, inside a transaction that holds its lock: it takes no new steps, and what is kept for these only is
 * released. What is asked for its last checkpoint is written to it if its compression has not begun. Errors: `conflict`
 * (there is no last checkpoint, or it is compressed already and has less), and those of `checkFinal`.
 */
export async function closeRun(tx: Catalog, run: Run, final: FinalQuality, afterClose?: AfterClose): Promise<void> {
  await checkFinal(tx, run, final);
  const last = await tx.checkpoints.newest(run.id);
  if (asksForMore(final)) await askOfLast(tx, run, last, final);
  await tx.runs.setClosed(run.id, true);
  if (last?.state === 'ready') await releaseStoredElsewhere(tx, last.id);
  await afterClose?.(tx, run.id);
}

/** Refuses thresholds that the run cannot be held to. Errors: `conflict`, and those of `settleThresholds`. */
export async function checkFinal(catalog: Catalog, run: Run, { thresholds }: FinalQuality): Promise<void> {
  if (thresholds === undefined) return;
  if (run.fidelity === 'exact')
    throw new FirnError('conflict', 'The run is exact, so its last checkpoint needs no thresholds.');
  const evalSet = run.evalSetId === undefined ? undefined : await catalog.evalSets.get(run.evalSetId);
  settleThresholds({ given: thresholds, inherited: undefined, allowLarge: undefined, evalSet });
}

async function askOfLast(tx: Catalog, run: Run, last: Checkpoint | undefined, final: FinalQuality): Promise<void> {
  if (last === undefined) throw new FirnError('conflict', 'The run has no checkpoint that could be its last.');
  const { step, state } = last;
  const again =
    'To keep it so, delete the step and push it again with "final"; until then its upload can be had with ' +
    '?as=uploaded.';
  switch (state) {
    case 'open':
    case 'queued':
    case 'failed':
      await tx.checkpoints.setFinal(last.id, final);
      return;
    case 'ready':
      if (await hasAlready(tx, run, last, final)) return;
      throw new FirnError(
        'conflict',
        `Step ${step}, the last of the run, is ready, and what a download returns of it does not change any ` +
          `more. ${again}`,
      );
    case 'working':
    case 'cancelled':
      throw new FirnError(
        'conflict',
        `Step ${step}, the last of the run, is ${state === 'working' ? 'being compressed' : 'cancelled'}. ${again}`,
      );
  }
}

/** Whether a ready checkpoint is exact, or inside the thresholds. */
async function hasAlready(
  tx: Catalog,
  run: Run,
  last: Checkpoint,
  { exact, thresholds }: FinalQuality,
): Promise<boolean> {
  const { fidelity, baseline, degradation } = last.result!;
  if (fidelity === 'exact') return true;
  if (exact === true || thresholds === undefined || baseline === undefined) return false;
  const own = runOfCheckpoint(run, last);
  const evalSet = own.evalSetId === undefined ? undefined : await tx.evalSets.get(own.evalSetId);
  if (evalSet === undefined) return false;
  const { metrics } = evalSet.spec;
  const limits = metricLimits({ metrics, thresholds, baseline, earlier: await measuredUploads(tx, own, last) });
  return Object.entries(limits).every(([name, { degradationMax }]) => degradation![name]! <= degradationMax);
}
