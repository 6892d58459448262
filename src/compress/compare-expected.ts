import { baselineMagnitudeMin, type MetricValues } from '../checkpoint/quality.ts';
import { quoteName } from '../checkpoint/quote-name.ts';
import { expectsWithinDefault } from '../checkpoint/search-options.ts';

/**
 * Why what was measured of the uploaded weights is not to be trusted: the training job measured something else. Undefined where all figures that it told agree
 * within `within`, relative to its own. Figures that are not finite agree with nothing.
 */
export function unexpectedBaseline(expects: MetricValues | undefined, measured: MetricValues, within = expectsWithinDefault): string | undefined {
  const apart = Object.entries(expects ?? {}).filter(([name, expected]) => {
    const difference = Math.abs((measured[name] ?? Number.NaN) - expected);
    return !(difference <= within * Math.max(Math.abs(expected), baselineMagnitudeMin));
  });
  if (apart.length === 0) return undefined;
  const figures = apart.map(
    ([name, expected]) => `${quoteName(name)} ${figure(expected)} by the training job and ${figure(measured[name] ?? Number.NaN)} on the eval set`,
  );
  return (
    `The uploaded weights give ${figures.join(', ')}, which differ by more than ${Number((100 * within).toPrecision(3))} %, so the checkpoint is stored exact: ` +
    'thresholds on a figure that is not the model’s would bound nothing.'
  );
}

function figure(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : 'not finite';
}
