import type { Catalog, Checkpoint } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';

/** The answer to other bytes for a committed step: what happened, and the call that resumes training from an earlier step instead. */
export async function stepExists(catalog: Catalog, { runId, step }: Pick<Checkpoint, 'runId' | 'step'>): Promise<FirnError> {
  const run = await catalog.runs.get(runId);
  const repository = run && (await catalog.repositories.get(run.repositoryId));
  const address = repository === undefined ? '{namespace}/{name}' : `${repository.namespace}/${repository.name}`;
  return new FirnError(
    'step-exists',
    `Step ${step} exists with other bytes. To go on from an earlier step, fork the run: ` +
      `POST /v1/repositories/${address}/runs with "forkFrom": {"run": "${run?.name ?? ''}", "step": <the step resumed from>}.`,
  );
}
