import type { MetricSpec } from '../../checkpoint/eval-set-spec.ts';
import type { MetricKind, MetricValues } from '../../checkpoint/quality.ts';
import { ClassificationMetric } from './classification-metric.ts';
import { LossMetric } from './loss-metric.ts';
import type { MetricAccumulator, NumberTensor } from './metric-accumulator.ts';
import { MeanSquaredError, PearsonCorrelation } from './regression-metrics.ts';

/** The outputs and labels of one batch, by name. */
export interface NamedBatch {
  readonly rows: number;
  readonly outputs: ReadonlyMap<string, NumberTensor>;
  readonly labels: ReadonlyMap<string, NumberTensor>;
}

interface Entry {
  readonly output: string;
  readonly labels: string | undefined;
  readonly accumulator: MetricAccumulator;
}

/** All metrics of an eval set, summed side by side; perplexity shares the cross-entropy of the same output and labels. */
export class MetricSet {
  readonly #specs: readonly MetricSpec[];
  readonly #entries = new Map<string, Entry>();

  /** Positions labelled `ignoreLabel` count in no metric but `loss`, whose output is already a mean. */
  constructor(specs: readonly MetricSpec[], ignoreLabel: number | undefined) {
    this.#specs = specs;
    for (const spec of specs) {
      if (this.#entries.has(entryKey(spec))) continue;
      this.#entries.set(entryKey(spec), { output: spec.output, labels: labelsOf(spec), accumulator: createAccumulator(spec.kind, ignoreLabel) });
    }
  }

  /** Errors: `eval-label-mismatch`. Every output and label tensor that a spec names must be there. */
  add({ rows, outputs, labels }: NamedBatch): void {
    for (const entry of this.#entries.values()) {
      entry.accumulator.add({ rows, output: outputs.get(entry.output)!, labels: entry.labels === undefined ? undefined : labels.get(entry.labels) });
    }
  }

  values(): MetricValues {
    return Object.fromEntries(
      this.#specs.map((spec) => {
        const value = this.#entries.get(entryKey(spec))!.accumulator.value();
        return [spec.name, spec.kind === 'perplexity' ? Math.exp(value) : value];
      }),
    );
  }
}

function labelsOf(spec: MetricSpec): string | undefined {
  return spec.kind === 'loss' ? undefined : spec.labels;
}

function entryKey(spec: MetricSpec): string {
  return JSON.stringify([spec.kind === 'perplexity' ? 'cross-entropy' : spec.kind, spec.output, labelsOf(spec)]);
}

function createAccumulator(kind: MetricKind, ignoreLabel: number | undefined): MetricAccumulator {
  switch (kind) {
    case 'loss':
      return new LossMetric();
    case 'cross-entropy':
    case 'perplexity':
      return new ClassificationMetric('cross-entropy', ignoreLabel);
    case 'accuracy':
      return new ClassificationMetric('accuracy', ignoreLabel);
    case 'mse':
      return new MeanSquaredError(ignoreLabel);
    case 'pearson':
      return new PearsonCorrelation(ignoreLabel);
  }
}
