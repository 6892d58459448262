import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import { runOfCheckpoint } from '../../compress/run-of-checkpoint.ts';
import { unfitCodes } from '../refuse-unfit.ts';
import { runsPath } from '../runs-path.ts';

/**
 * The error for other bytes at a committed step. It says what happened and names the call that resumes training from an
 * earlier step.
 */
export async function stepExists(
  catalog: Catalog,
  { runId, step }: Pick<Checkpoint, 'runId' | 'step'>,
): Promise<FirnError> {
  const run = await catalog.runs.get(runId);
  return new FirnError(
    'step-exists',
    `Step ${step} exists with other bytes. To go on from an earlier step, fork the run: ` +
      `POST ${await runsPath(catalog, run)} with "forkFrom": {"run": "${run?.name ?? '{run}'}", "step": <the ` +
      'step resumed from>}.',
  );
}

/**
 * The error for the same bytes at a failed step. It gives the reason of the failure and names the calls that retry it.
 */
export async function stepFailed(catalog: Catalog, checkpoint: Checkpoint): Promise<FirnError> {
  const { step, errorMessage } = checkpoint;
  const why = errorMessage ?? 'no reason was recorded.';
  return new FirnError(
    'checkpoint-failed',
    `Step ${step} has these bytes and failed: ${why} They are kept. ${await waysToRetry(catalog, checkpoint)}`,
  );
}

/** Failures that would recur with the same eval set, if the server does not change. */
const ofEvalSet: readonly (FirnErrorCode | undefined)[] = [
  ...unfitCodes,
  'eval-timeout',
  'eval-memory',
  'eval-crashed',
  'eval-set-not-ready',
];

async function waysToRetry(catalog: Catalog, checkpoint: Checkpoint): Promise<string> {
  const run = await catalog.runs.get(checkpoint.runId);
  const path = `${await runsPath(catalog, run)}/${run?.name ?? '{run}'}`;
  const retry = `POST ${path}/checkpoints/${checkpoint.step}/retry`;
  if (run?.fidelity !== 'lossy') return `Try it again with ${retry}.`;
  const measuredWith = await nameOf(catalog, runOfCheckpoint(run, checkpoint).evalSetId);
  const ofRun = await nameOf(catalog, run.evalSetId);
  const another = `{"evalSet": "<name of another eval set>"}`;
  if (ofRun !== undefined && ofRun !== measuredWith) {
    const before = measuredWith === undefined ? 'it failed without one' : `it failed with "${measuredWith}"`;
    return (
      `${retry} without a body tries it with eval set "${ofRun}", which its run has now; ${before}. For a ` +
      `third one, send ${another}.`
    );
  }
  if (measuredWith === undefined) return `Try it again with ${retry}.`;
  if (!ofEvalSet.includes(checkpoint.errorCode))
    return `Try it again with ${retry}; to measure it with another eval set than "${measuredWith}", send ${another}.`;
  return (
    `It was measured with eval set "${measuredWith}". To try it again with another one: ${retry} with ${another}. ` +
    `If later steps are to have that one, too: PATCH ${path} with ${another}, then the POST without a body.`
  );
}

async function nameOf(catalog: Catalog, evalSetId: string | undefined): Promise<string | undefined> {
  return evalSetId === undefined ? undefined : (await catalog.evalSets.get(evalSetId))?.name;
}
