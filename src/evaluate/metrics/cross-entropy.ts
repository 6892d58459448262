/** The logits, or the probabilities, of one position: `classCount` values, `stride` elements apart. */
export interface ClassRow {
  readonly data: ArrayLike<number>;
  readonly start: number;
  readonly classCount: number;
  readonly stride: number;
}

/**
 * The two parts of a log-softmax: the largest value, and the logarithm of the sum of exponentials less that value. Not
 * finite if a logit is NaN.
 */
export interface LogSum {
  readonly largest: number;
  readonly log: number;
}

export function logSum({ data, start, classCount, stride }: ClassRow): LogSum {
  const end = start + classCount * stride;
  let largest = -Infinity;
  for (let at = start; at < end; at += stride) if (data[at]! > largest) largest = data[at]!;
  let sum = 0;
  for (let at = start; at < end; at += stride) sum += Math.exp(data[at]! - largest);
  return { largest, log: Math.log(sum) };
}

/**
 * Minus the log-probability of class `label` under a softmax of the logits, in nats; NaN if a logit is. Here and below
 * a row's sum may be given, if it is known.
 */
export function classCrossEntropy(row: ClassRow, label: number, { largest, log } = logSum(row)): number {
  return log - (row.data[row.start + label * row.stride]! - largest);
}

/** The same for several classes at one position, at little more than the cost of one. */
export function classCrossEntropies(
  row: ClassRow,
  labels: readonly number[],
  { largest, log } = logSum(row),
): number[] {
  return labels.map((label) => log - (row.data[row.start + label * row.stride]! - largest));
}

/**
 * Cross-entropy of a distribution over classes under a softmax of the logits, in nats; NaN if a logit is. Classes of
 * probability 0 add nothing.
 */
export function softCrossEntropy(row: ClassRow, probabilities: ClassRow, { largest, log } = logSum(row)): number {
  let total = Number.isNaN(log) ? log : 0;
  for (let at = 0; at < row.classCount; at++) {
    const share = probabilities.data[probabilities.start + at * probabilities.stride]!;
    if (share !== 0) total += share * (log - (row.data[row.start + at * row.stride]! - largest));
  }
  return total;
}

/** Divergence from the softmax of `from` to that of `to`, in nats (Kullback and Leibler 1951); NaN if a logit is. */
export function klDivergence(from: ClassRow, to: ClassRow, ours = logSum(from), theirs = logSum(to)): number {
  let total = Number.isNaN(ours.log + theirs.log) ? Number.NaN : 0;
  for (let at = 0; at < from.classCount; at++) {
    const logShare = from.data[from.start + at * from.stride]! - ours.largest - ours.log;
    const share = Math.exp(logShare);
    if (share !== 0) total += share * (logShare - (to.data[to.start + at * to.stride]! - theirs.largest - theirs.log));
  }
  return total;
}

/** The same for a binary choice with one logit. */
export function binaryKlDivergence(from: number, to: number): number {
  const share = 1 / (1 + Math.exp(-from));
  return binaryCrossEntropy(to, share) - binaryCrossEntropy(from, share);
}

/** Cross-entropy of a 0..1 target under the sigmoid of one logit, in nats, in the form that never overflows. */
export function binaryCrossEntropy(logit: number, target: number): number {
  return Math.max(logit, 0) - logit * target + Math.log1p(Math.exp(-Math.abs(logit)));
}

/** Index of the largest value, the first of equals; -1 if one is NaN. */
export function largestClass({ data, start, classCount, stride }: ClassRow): number {
  let best = 0;
  for (let at = 0; at < classCount; at++) {
    const value = data[start + at * stride]!;
    if (Number.isNaN(value)) return -1;
    if (value > data[start + best * stride]!) best = at;
  }
  return best;
}

/**
 * Rank of class `label` from 0, with the largest logit first, and of equal logits the first one first; NaN if a logit
 * is NaN.
 */
export function rankOfClass({ data, start, classCount, stride }: ClassRow, label: number): number {
  const own = data[start + label * stride]!;
  let before = 0;
  for (let at = 0; at < classCount; at++) {
    const value = data[start + at * stride]!;
    if (Number.isNaN(value)) return Number.NaN;
    if (value > own || (value === own && at < label)) before++;
  }
  return before;
}
