import type { TopChoiceFindings } from '../metrics/top-choices.ts';
import type { Dtype } from '../../checkpoint/dtype.ts';
import type { MetricValues } from '../../checkpoint/quality/quality.ts';
import type { MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import type { InputGram } from '../../graph/grams/input-gram.ts';
import type { PaddedLabels } from './padded-labels.ts';
import type { LossOfHalves } from './summed-loss.ts';
import type { RoundedWeights } from '../batches/weight-tensors.ts';

/** Findings on the eval set from an evaluation of the uploaded weights, with the values of its metrics. */
export interface Examination {
  /** Over all batches. */
  readonly whole: MetricValues;
  /** Metrics of the even and of the odd batches; absent if there is only one batch. */
  readonly halves?: readonly [first: MetricValues, second: MetricValues];
  /** Metrics of groups of neighbouring rows, if they were wanted (`EvalParts.groups`). */
  readonly groups?: readonly MetricValues[];
  readonly rows: number;
  readonly batchCount: number;
  readonly inputs: readonly InputReading[];
  /** Tensors of the batches that nothing uses. */
  readonly unusedColumns: readonly string[];
  /** For each metric of the set that compares outputs with labels, in their order. */
  readonly readings: readonly MetricReading[];
  readonly roundedWeights?: RoundedWeights;
  /** Outputs that are probabilities already, by their values. A softmax of them is meaningless. */
  readonly probabilityOutputs: readonly string[];
  /** Whether the outputs for comparison were written; false if they exceed the limit. */
  readonly referenceWritten: boolean;
  /** Names of these outputs, in their order in the file. */
  readonly referenceOutputs: readonly string[];
  /**
   * The Gram matrices in the file, if they were wanted, and could be measured in the same run of the graph. Absent if
   * the runtime would compute the outputs in another way beside them; then they take a run of their own.
   */
  readonly grams?: readonly InputGram[];
  /** Running the batches took this long, in seconds. */
  readonly seconds: number;
}

/** The data fed to one input of the graph. */
export interface InputReading {
  readonly input: string;
  readonly tensor: string;
  readonly dtype: Dtype;
  /** Over all rows. */
  readonly shape: readonly number[];
  /** Elements that are NaN or infinite. */
  readonly notFinite: number;
  /** For integers. */
  readonly range?: { readonly least: number; readonly largest: number };
}

/** How the output and the labels of one metric were read. */
export interface MetricReading {
  readonly name: string;
  readonly kind: MetricKind;
  readonly output: string;
  /** Over all rows. */
  readonly outputShape: readonly number[];
  readonly labels?: string;
  readonly labelsShape?: readonly number[];
  /** Number of positions, or values, that count, and of those that `ignoreLabel` leaves out. */
  readonly counted: number;
  readonly ignored: number;
  /** For classes. */
  readonly classCount?: number;
  /** First choices of the output, if labels are indices of classes. */
  readonly topChoices?: TopChoiceFindings;
  /**
   * The metric's value for a guess without the inputs: equal probabilities for all classes, or the mean of the labels.
   */
  readonly guessing?: number;
  /**
   * Cross-entropy of the labels as given, in nats, and against the label one position later and earlier; only for
   * labels in sequences.
   */
  readonly shifts?: { readonly asGiven: number; readonly later: number; readonly earlier: number };
  /** Labels that count and are NaN or infinite. */
  readonly labelsNotFinite?: number;
  /** Padding with labels that count, although `ignoreLabel` may be set to another label. */
  readonly padded?: PaddedLabels & { readonly ignoreLabel?: number };
  /** Every value is in 0 to 1 although the metric expects logits. */
  readonly withinUnit?: boolean;
  /** The output is a loss that adds up over rows, so its figure depends on how many are fed at once. */
  readonly summed?: LossOfHalves & { readonly rows: number };
}
