import type { Catalog } from '../../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../../catalog/contract/run-records.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { defaultRun } from '../../../hub/tree/resolve-revision.ts';
import { found, type Locator, type RepositoryNames } from '../../request/locate.ts';

/** A checkpoint by name; without a step the newest ready one, without a run that of what the main branch shows. */
export interface BaseModelNames extends RepositoryNames {
  readonly run?: string | undefined;
  readonly step?: number | undefined;
}

/**
 * The checkpoint that a run names as its base model, as far as `read`, a locator for the scope `read`, may see it.
 * `not-found`; `checkpoint-not-ready`, `checkpoint-failed`.
 */
export async function locateBaseModel(
  catalog: Catalog,
  read: Locator,
  { namespace, name, run: runName, step }: BaseModelNames,
): Promise<{ readonly run: Run; readonly checkpoint: Checkpoint }> {
  const named = runName ?? (await defaultRun(catalog, await read.repository({ namespace, name })))?.name;
  const { run, checkpoint } = await read.checkpoint({
    namespace,
    name,
    run: found(named, 'run'),
    step: step ?? 'latest',
  });
  if (checkpoint.state === 'failed' || checkpoint.state === 'cancelled')
    throw new FirnError('checkpoint-failed', `The base model's step is ${checkpoint.state}; name another.`);
  if (checkpoint.packageId === undefined)
    throw new FirnError('checkpoint-not-ready', "The base model's step is not compressed yet.");
  return { run, checkpoint };
}
