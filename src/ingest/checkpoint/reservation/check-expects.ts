import type { Catalog } from '../../../catalog/contract/catalog.ts';
import type { Run } from '../../../catalog/contract/run-records.ts';
import { metricCountMax } from '../../../checkpoint/quality/eval-set-spec.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { MetricValues } from '../../../checkpoint/quality/quality.ts';

/** Refuses expected metrics that Firn cannot measure itself. Errors: `invalid-request`, `metric-unknown`. */
export async function checkExpects(catalog: Catalog, run: Run, expects: MetricValues | undefined): Promise<void> {
  if (expects === undefined) return;
  const names = Object.keys(expects);
  if (names.length > metricCountMax)
    throw new FirnError('invalid-request', `"expects" may name at most ${metricCountMax} metrics.`);
  if (Object.values(expects).some((value) => !Number.isFinite(value)))
    throw new FirnError('invalid-request', 'The values of "expects" are finite numbers.');
  if (names.length === 0) return;
  const evalSet =
    run.fidelity === 'exact' || run.evalSetId === undefined ? undefined : await catalog.evalSets.get(run.evalSetId);
  if (evalSet === undefined)
    throw new FirnError(
      'invalid-request',
      '"expects" is compared with what the eval set of a lossy run measures; this run has none. Leave it out.',
    );
  const known = evalSet.spec.metrics.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new FirnError(
    'metric-unknown',
    `The eval set has no metric named "${unknown}" to compare "expects" with; it has ` +
      `${known.map((name) => `"${name}"`).join(', ')}.`,
  );
}
