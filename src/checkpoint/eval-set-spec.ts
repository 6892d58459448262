import type { MetricKind } from './quality.ts';

/** What an eval set's graph and batches mean; uploaded as JSON with them. */
export interface EvalSetSpec {
  /** Graph input name to tensor of the batches file. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly metrics: readonly MetricSpec[];
  /** Positions with this label count in no metric. */
  readonly ignoreLabel?: number;
  /** Rows of the batches fed at once; default 16. */
  readonly batchRows?: number;
  /** Graph initializer to checkpoint tensor, where the names differ. */
  readonly tensorMap?: Readonly<Record<string, { readonly tensor: string; readonly transpose?: boolean }>>;
}

export interface MetricSpec {
  /** Unique in the set; thresholds refer to it. */
  readonly name: string;
  readonly kind: MetricKind;
  /** Graph output. */
  readonly output: string;
  /** Tensor of the batches file with the labels; not for kind `loss`. */
  readonly labels?: string;
}

/** Most metrics of one eval set. */
export const metricCountMax = 16;
