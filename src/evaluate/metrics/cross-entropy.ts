/** A run of logits for one position. */
export interface LogitRow {
  readonly data: ArrayLike<number>;
  readonly start: number;
  readonly classCount: number;
}

/** Minus the log-probability of class `label` under a softmax of the logits, in nats; NaN where a logit is. */
export function classCrossEntropy({ data, start, classCount }: LogitRow, label: number): number {
  let largest = -Infinity;
  for (let at = start; at < start + classCount; at++) if (data[at]! > largest) largest = data[at]!;
  let sum = 0;
  for (let at = start; at < start + classCount; at++) sum += Math.exp(data[at]! - largest);
  return Math.log(sum) - (data[start + label]! - largest);
}

/** Cross-entropy of a 0..1 target under the sigmoid of one logit, in nats, in the form that never overflows. */
export function binaryCrossEntropy(logit: number, target: number): number {
  return Math.max(logit, 0) - logit * target + Math.log1p(Math.exp(-Math.abs(logit)));
}

/** Index of the largest logit, the first of equals; -1 where a logit is NaN. */
export function largestClass({ data, start, classCount }: LogitRow): number {
  let best = start;
  for (let at = start; at < start + classCount; at++) {
    if (Number.isNaN(data[at]!)) return -1;
    if (data[at]! > data[best]!) best = at;
  }
  return best - start;
}
