import { closeSync, openSync, readSync } from 'node:fs';
import type { EvalSetSpec, MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { metricKindRules, type MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import type { Series } from './read-series.ts';

/** Names of the tensors in a series' batches file. */
const inputsTensor = 'inputs';
const labelsTensor = 'labels';

/**
 * The eval set of a series. `loss` means cross-entropy for class labels and mean squared error for real-valued ones.
 * Throws an Error with one sentence for an unknown metric, or if its direction differs from the series'.
 */
export function seriesEvalSpec(series: Series): EvalSetSpec {
  const realLabels = labelDtype(series.batchesPath).startsWith('F');
  const kindOf = (name: string): MetricKind => {
    if (name === 'loss') return realLabels ? 'mse' : 'cross-entropy';
    if (name === 'accuracy' || name === 'mse' || name === 'perplexity' || name === 'pearson') return name;
    throw new Error(`series metric ${name} has no known meaning`);
  };
  const metrics = series.metrics.map((name): MetricSpec => {
    const kind = kindOf(name);
    const direction = series.directions[name] ?? metricKindRules[kind].higherIsBetter;
    if (direction !== metricKindRules[kind].higherIsBetter)
      throw new Error(`series.json says that ${direction ? 'more' : 'less'} ${name} is better, which it is not`);
    return { name, kind, output: series.graphOutput, labels: labelsTensor };
  });
  return {
    inputs: { [series.graphInput]: inputsTensor },
    metrics,
    ...(series.ignoreLabel === undefined ? {} : { ignoreLabel: series.ignoreLabel }),
    ...(series.constants === undefined ? {} : { constants: series.constants }),
    ...(series.unused === undefined ? {} : { unused: series.unused }),
    ...(series.tensorMap === undefined ? {} : { tensorMap: series.tensorMap }),
  };
}

function labelDtype(batchesPath: string): string {
  const file = openSync(batchesPath, 'r');
  try {
    const length = Buffer.alloc(8);
    readSync(file, length, 0, 8, 0);
    const json = Buffer.alloc(Math.min(Number(length.readBigUInt64LE()), 1024 * 1024));
    readSync(file, json, 0, json.length, 8);
    const header = JSON.parse(json.toString('utf8')) as Record<string, { dtype?: string } | undefined>;
    const dtype = header[labelsTensor]?.dtype;
    if (dtype === undefined) throw new Error(`${batchesPath} has no tensor "${labelsTensor}"`);
    return dtype;
  } finally {
    closeSync(file);
  }
}
