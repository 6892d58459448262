import type { Dtype } from '../../checkpoint/dtype.ts';
import type { MetricValues } from '../../checkpoint/quality/quality.ts';
import type { MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import type { PaddedLabels } from './padded-labels.ts';
import type { LossOfHalves } from './summed-loss.ts';
import type { RoundedWeights } from '../batches/weight-tensors.ts';

/** What an evaluation of the uploaded weights tells of the eval set besides the values of its metrics. */
export interface Examination {
  /** Over all batches. */
  readonly whole: MetricValues;
  /** Of the batches with an even number and of those with an odd one; absent where there is one batch alone. */
  readonly halves?: readonly [first: MetricValues, second: MetricValues];
  readonly rows: number;
  readonly batchCount: number;
  readonly inputs: readonly InputReading[];
  /** Tensors of the batches that nothing uses. */
  readonly unusedColumns: readonly string[];
  /** Of each metric of the set that compares outputs with labels, in their order. */
  readonly readings: readonly MetricReading[];
  readonly roundedWeights?: RoundedWeights;
  /** Outputs that are probabilities already, by their values. A softmax of them says nothing. */
  readonly probabilityOutputs: readonly string[];
  /** Whether the outputs to compare with were written; false where they take more than was allowed. */
  readonly referenceWritten: boolean;
  /** Which outputs these are, in their order in the file. */
  readonly referenceOutputs: readonly string[];
  /** Running the batches took this long, in seconds. */
  readonly seconds: number;
}

/** What is fed to one input of the graph. */
export interface InputReading {
  readonly input: string;
  readonly tensor: string;
  readonly dtype: Dtype;
  /** Over all rows. */
  readonly shape: readonly number[];
  /** Elements that are NaN or infinite. */
  readonly notFinite: number;
  /** Of whole numbers. */
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
  /** Positions, or values, that count; and those that `ignoreLabel` leaves out. */
  readonly counted: number;
  readonly ignored: number;
  /** Of classes. */
  readonly classCount?: number;
  /** The metric's value for somebody who does not look at the inputs: all classes alike, the mean of the labels. */
  readonly guessing?: number;
  /**
   * Cross-entropy of the labels as they stand, in nats, and against the label one position later and earlier; of labels
   * in sequences only.
   */
  readonly shifts?: { readonly asGiven: number; readonly later: number; readonly earlier: number };
  /** Labels that count and are NaN or infinite. */
  readonly labelsNotFinite?: number;
  /** Padding whose labels count, although `ignoreLabel` may be set to another one. */
  readonly padded?: PaddedLabels & { readonly ignoreLabel?: number };
  /** Every value lies in 0 to 1 although logits are wanted. */
  readonly withinUnit?: boolean;
  /** The output is a loss that adds up over rows, so that its figure follows how many are fed at once. */
  readonly summed?: LossOfHalves & { readonly rows: number };
}
