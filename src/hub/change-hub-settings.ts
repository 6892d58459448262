import type { Catalog } from '../catalog/contract/catalog.ts';
import type { HubSettings, Repository } from '../catalog/contract/repository-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { QualityThresholds } from '../checkpoint/quality/quality.ts';
import type { Fidelity } from '../checkpoint/role.ts';
import { readyEvalSet } from '../ingest/run/evaluation-of-run.ts';
import { settleThresholds } from '../ingest/run/settle-thresholds.ts';

/** Settings as a client gives them; what is left out has its default. */
export interface HubSettingsInput {
  readonly fidelity: Fidelity;
  readonly evalSet?: string | undefined;
  readonly thresholds?: QualityThresholds | undefined;
  readonly allowLarge?: boolean | undefined;
  readonly shows?: HubSettings['shows'] | undefined;
}

/**
 * Sets how weights that hub clients push are kept from now on. Errors: `invalid-request` for a lossy repository without
 * an eval set; `not-found`, `eval-set-not-ready`, and those of the thresholds.
 */
export async function changeHubSettings(
  catalog: Catalog,
  repository: Repository,
  { fidelity, evalSet: name, thresholds: given, allowLarge, shows = 'compressed' }: HubSettingsInput,
): Promise<Repository> {
  if (fidelity === 'exact') return catalog.repositories.setHubSettings(repository.id, { fidelity, shows });
  if (name === undefined)
    throw new FirnError('invalid-request', 'A lossy repository needs the name of an eval set in "evalSet".');
  const evalSet = await readyEvalSet(catalog, repository.id, name);
  const thresholds = settleThresholds({ given, inherited: undefined, allowLarge, evalSet });
  return catalog.repositories.setHubSettings(repository.id, { fidelity, evalSet: name, thresholds, shows });
}
