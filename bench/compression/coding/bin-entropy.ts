/** Bins of one tensor in a checkpoint and, if known, in the two before. */
export interface BinHistory {
  readonly current: ArrayLike<number>;
  readonly previous?: ArrayLike<number> | undefined;
  readonly beforePrevious?: ArrayLike<number> | undefined;
}

/** Larger than any difference of bins, so that two bins make one number. */
const contextSpan = 2 ** 24;

/**
 * Empirical H(bin | tensor, previous bin, bin before) of a checkpoint in bits: the size under an ideal coder with that
 * context and free tables. A coder that pays for its tables, or has other contexts, may need more or fewer bits.
 */
export function boundBits(tensors: readonly BinHistory[]): number {
  return tensors.reduce((bits, tensor) => bits + tensorBits(tensor), 0);
}

function tensorBits({ current, previous, beforePrevious }: BinHistory): number {
  const rows = new Map<number, Map<number, number>>();
  for (let i = 0; i < current.length; i += 1) {
    const context = (previous?.[i] ?? 0) * contextSpan + (beforePrevious?.[i] ?? 0);
    let row = rows.get(context);
    if (row === undefined) rows.set(context, (row = new Map()));
    row.set(current[i]!, (row.get(current[i]!) ?? 0) + 1);
  }
  let bits = 0;
  for (const row of rows.values()) bits += rowBits([...row.values()]);
  return bits;
}

function rowBits(counts: readonly number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.reduce((bits, count) => bits - count * Math.log2(count / total), 0);
}
