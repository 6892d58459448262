import { figureInWords } from '../../checkpoint/words/figure-in-words.ts';
import { baselineMagnitudeMin, type MetricValues } from '../../checkpoint/quality/quality.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import { expectsWithinDefault } from '../../checkpoint/options/search-options.ts';
import { quoteNames } from '../../graph/quote-names.ts';

/**
 * The reason not to trust the metrics of the uploaded weights: the training job reported other figures. Undefined if
 * all figures that were both reported and measured agree within `within`, relative to the reported figure. A figure
 * that is not finite agrees with nothing.
 */
export function unexpectedBaseline(
  expects: MetricValues | undefined,
  measured: MetricValues,
  within = expectsWithinDefault,
): string | undefined {
  const apart = Object.entries(expects ?? {}).filter(([name, expected]) => {
    const found = measured[name];
    return (
      found !== undefined &&
      !(Math.abs(found - expected) <= within * Math.max(Math.abs(expected), baselineMagnitudeMin))
    );
  });
  if (apart.length === 0) return undefined;
  const figures = apart.map(
    ([name, expected]) =>
      `${quoteName(name)} ${figureInWords(expected, 6)} by the training job and ` +
      `${figureInWords(measured[name]!, 6)} on the eval set`,
  );
  return (
    `The uploaded weights give ${figures.join(', ')}, which differ by more than ` +
    `${figureInWords(100 * within, 3)} %, so the checkpoint is stored exact: ` +
    'thresholds on a figure that is not the model’s would bound nothing.'
  );
}

/**
 * A sentence for figures of the training job that the eval set does not measure; there may be some after a run was
 * given another set.
 */
export function unmeasuredExpectations(expects: MetricValues | undefined, measured: MetricValues): string | undefined {
  const unmeasured = Object.keys(expects ?? {}).filter((name) => measured[name] === undefined);
  return unmeasured.length === 0
    ? undefined
    : `The training job reported ${quoteNames(unmeasured)}, which the eval set does not measure, so nothing ` +
        'was compared with it.';
}
