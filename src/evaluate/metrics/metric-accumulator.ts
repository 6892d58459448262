import type { Dtype } from '../../checkpoint/dtype.ts';
import type { LogSums } from './log-sums.ts';

/** Numbers of any element type with their shape; row-major. */
export interface NumberTensor {
  readonly dims: readonly number[];
  readonly data: ArrayLike<number>;
  /** For labels. */
  readonly column?: LabelColumn;
}

/** The tensor of the batches file that contains the labels. */
export interface LabelColumn {
  readonly name: string;
  readonly dtype: Dtype;
  readonly rows: number;
  /** First row of these labels. */
  readonly rowStart: number;
}

/** One batch as a metric sees it. */
export interface MetricBatch {
  /** Rows of the eval set in this batch. */
  readonly rows: number;
  readonly output: NumberTensor;
  /** The tensor that the metric's spec names. */
  readonly labels: NumberTensor | undefined;
  /** The same output of the uploaded model, for kinds that compare with it. */
  readonly reference: ArrayLike<number> | undefined;
  /** Of the rows of outputs and references. */
  readonly logSums: LogSums;
}

/**
 * Sums a metric over batches, in double precision and in the order of the rows, so that the same outputs give the same
 * value to the last bit. A NaN among the counted outputs makes the value NaN. Errors of `add`: `eval-label-mismatch`.
 */
export interface MetricAccumulator {
  add(batch: MetricBatch): void;
  /** NaN when nothing was counted. */
  value(): number;
}
