import type { Catalog, Checkpoint } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';

type StepOfRun = Pick<Checkpoint, 'runId' | 'step'>;

/** The answer to other bytes for a committed step: what happened, and the call that resumes training from an earlier step instead. */
export async function stepExists(catalog: Catalog, { runId, step }: StepOfRun): Promise<FirnError> {
  const { runs, run } = await pathsOf(catalog, runId);
  return new FirnError(
    'step-exists',
    `Step ${step} exists with other bytes. To go on from an earlier step, fork the run: ` +
      `POST ${runs} with "forkFrom": {"run": "${run}", "step": <the step resumed from>}.`,
  );
}

/** The answer to the same bytes for a step that failed: why it did, and the call that tries it again. */
export async function stepFailed(catalog: Catalog, { runId, step, errorMessage }: StepOfRun & Pick<Checkpoint, 'errorMessage'>): Promise<FirnError> {
  const { runs, run, evalSet } = await pathsOf(catalog, runId);
  const call = `POST ${runs}/${run}/checkpoints/${step}/retry`;
  const how =
    evalSet === undefined
      ? `Try it again with ${call}.`
      : `Try it again with ${call} and {"evalSet": "${evalSet}"}; name another eval set there if that one was the mistake.`;
  return new FirnError('checkpoint-failed', `Step ${step} has these bytes and failed: ${errorMessage ?? 'no reason was recorded.'} They are kept. ${how}`);
}

async function pathsOf(catalog: Catalog, runId: string): Promise<{ runs: string; run: string; evalSet: string | undefined }> {
  const run = await catalog.runs.get(runId);
  const repository = run && (await catalog.repositories.get(run.repositoryId));
  const evalSet = run?.fidelity !== 'lossy' || run.evalSetId === undefined ? undefined : await catalog.evalSets.get(run.evalSetId);
  const address = repository === undefined ? '{namespace}/{name}' : `${repository.namespace}/${repository.name}`;
  return { runs: `/v1/repositories/${address}/runs`, run: run?.name ?? '{run}', evalSet: evalSet?.name };
}
