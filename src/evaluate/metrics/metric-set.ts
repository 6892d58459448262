import { topKDefault, type EvalSetSpec, type MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { metricKindRules } from '../../checkpoint/quality/metric-kind.ts';
import type { MetricValues } from '../../checkpoint/quality/quality.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import { binaryAccuracy, meanBinaryCrossEntropy } from './binary-metrics.ts';
import type { LabelReading } from './class-labels.ts';
import { accuracy, MacroF1, meanCrossEntropy, topKAccuracy } from './class-metrics.ts';
import { LogSums } from './log-sums.ts';
import { LossMetric } from './loss-metric.ts';
import type { MetricAccumulator, NumberTensor } from './metric-accumulator.ts';
import { agreement, meanKlDivergence } from './reference-metrics.ts';
import { meanSquaredDeviation, meanSquaredError, PearsonCorrelation } from './regression-metrics.ts';

/** The outputs and labels of one batch, by name. */
export interface NamedBatch {
  readonly rows: number;
  readonly outputs: ReadonlyMap<string, NumberTensor>;
  readonly labels: ReadonlyMap<string, NumberTensor>;
  /** Outputs of the uploaded model, by name; see `needsReference`. */
  readonly references?: ReadonlyMap<string, ArrayLike<number>>;
  /** Of the rows of these outputs, for all that read the batch; absent: they are computed for this set alone. */
  readonly logSums?: LogSums;
}

/** Options of an eval set's spec for all its labels. */
export type LabelOptions = Pick<EvalSetSpec, 'labels' | 'ignoreLabel'>;

interface Entry {
  /** The first metric that needs it. */
  readonly spec: MetricSpec;
  readonly accumulator: MetricAccumulator;
}

/**
 * All metrics of an eval set, summed side by side; perplexity shares the cross-entropy of the same output and labels.
 */
export class MetricSet {
  readonly #specs: readonly MetricSpec[];
  readonly #entries = new Map<string, Entry>();

  /** Positions labelled `ignoreLabel` count in no metric except `loss`, whose output is already a mean. */
  constructor(specs: readonly MetricSpec[], options: LabelOptions) {
    this.#specs = specs;
    for (const spec of specs) {
      if (this.#entries.has(entryKey(spec))) continue;
      this.#entries.set(entryKey(spec), { spec, accumulator: createAccumulator(spec, options) });
    }
  }

  /** Errors: `eval-label-mismatch`. Every output, label tensor and reference that a spec needs must be there. */
  add({ rows, outputs, labels, references, logSums = new LogSums() }: NamedBatch): void {
    for (const { spec, accumulator } of this.#entries.values()) {
      const labelName = labelsOf(spec);
      const batch = {
        rows,
        output: outputs.get(spec.output)!,
        labels: labelName === undefined ? undefined : labels.get(labelName),
        reference: references?.get(spec.output),
        logSums,
      };
      try {
        accumulator.add(batch);
      } catch (error) {
        throw withRules(error, spec);
      }
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

/** Adds to a mismatch the name of the metric and the requirements of its kind. */
export function withRules(error: unknown, { name, kind, output: outputName }: MetricSpec): unknown {
  if (!(error instanceof FirnError) || error.code !== 'eval-label-mismatch') return error;
  const { output, labels } = metricKindRules[kind];
  const what = `Metric ${quoteName(name)}, of output ${quoteName(outputName)}`;
  return new FirnError(
    error.code,
    `${what}: ${error.message} Kind ${kind} takes as output ${output}; as labels ${labels}.`,
    { cause: error },
  );
}

function labelsOf(spec: MetricSpec): string | undefined {
  return spec.kind === 'loss' ? undefined : spec.labels;
}

function entryKey(spec: MetricSpec): string {
  return JSON.stringify([
    spec.kind === 'perplexity' ? 'cross-entropy' : spec.kind,
    spec.output,
    labelsOf(spec),
    spec.classAxis,
    spec.k,
  ]);
}

function createAccumulator(
  { kind, classAxis, k = topKDefault }: MetricSpec,
  { labels, ignoreLabel }: LabelOptions,
): MetricAccumulator {
  const reading: LabelReading = { labels, ignoreLabel, classAxis };
  switch (kind) {
    case 'loss':
      return new LossMetric();
    case 'cross-entropy':
    case 'perplexity':
      return meanCrossEntropy(reading);
    case 'accuracy':
      return accuracy(reading);
    case 'top-k-accuracy':
      return topKAccuracy(reading, k);
    case 'f1':
      return new MacroF1(reading);
    case 'binary-cross-entropy':
      return meanBinaryCrossEntropy(ignoreLabel);
    case 'binary-accuracy':
      return binaryAccuracy(ignoreLabel);
    case 'mse':
      return meanSquaredError(ignoreLabel);
    case 'pearson':
      return new PearsonCorrelation(ignoreLabel);
    case 'kl-divergence':
      return meanKlDivergence(reading);
    case 'agreement':
      return agreement(reading);
    case 'deviation':
      return meanSquaredDeviation(ignoreLabel);
  }
}
