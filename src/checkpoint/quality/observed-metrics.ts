import type { EvalSetSpec, MetricSpec } from './eval-set-spec.ts';
import { metricKindRules, needsReference, type ComparedWith, type MetricKind } from './metric-kind.ts';

/**
 * Kinds of metrics that can be computed from a metric's outputs at no further cost, by the reference that the metric
 * compares with.
 */
const tellsFree: Readonly<Record<ComparedWith, readonly MetricKind[]>> = {
  nothing: [],
  classes: ['cross-entropy', 'accuracy', 'kl-divergence', 'agreement'],
  'binary-targets': ['binary-cross-entropy', 'binary-accuracy'],
  values: ['mse', 'pearson', 'deviation'],
  'uploaded-classes': ['kl-divergence', 'agreement'],
  'uploaded-values': ['deviation'],
};

/**
 * The metrics that an eval set does not request but its outputs and labels allow. They are measured before and after,
 * and shown; no threshold bounds them. Each is named after its kind; if that name is taken, after its kind and output.
 */
export function observedMetrics({ metrics }: Pick<EvalSetSpec, 'metrics'>): MetricSpec[] {
  const asked = new Set(metrics.map(questionOf));
  const names = new Set(metrics.map(({ name }) => name));
  const observed: MetricSpec[] = [];
  for (const metric of metrics) {
    for (const kind of tellsFree[metricKindRules[metric.kind].comparedWith]) {
      const { output, labels, classAxis } = metric;
      const name = [kind, `${kind}:${output}`].find((each) => !names.has(each));
      const candidate = {
        name: name ?? '',
        kind,
        output,
        ...(labels !== undefined && { labels }),
        ...(classAxis !== undefined && { classAxis }),
      };
      if (name === undefined || asked.has(questionOf(candidate))) continue;
      asked.add(questionOf(candidate));
      names.add(name);
      observed.push(candidate);
    }
  }
  return observed;
}

/** Kinds that take a softmax of the output, or a sigmoid. */
const needLogits: ReadonlySet<MetricKind> = new Set<MetricKind>([
  'cross-entropy',
  'perplexity',
  'kl-divergence',
  'binary-cross-entropy',
]);

/**
 * The metrics that are meaningful for outputs which are probabilities already: a softmax of these gives a wrong figure.
 */
export function withoutSoftmax(metrics: readonly MetricSpec[], probabilityOutputs: readonly string[]): MetricSpec[] {
  return metrics.filter(({ kind, output }) => !(needLogits.has(kind) && probabilityOutputs.includes(output)));
}

/** Equal for metrics that measure the same; perplexity measures the same as cross-entropy. */
function questionOf({ kind, output, labels }: MetricSpec): string {
  return JSON.stringify([kind === 'perplexity' ? 'cross-entropy' : kind, output, needsReference(kind) ? '' : labels]);
}
