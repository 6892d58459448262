import { FirnError } from '../../checkpoint/firn-error.ts';

/** How labels stand beside logits: a class index for each row of `classCount` logits, or (1) a 0/1 target for each logit. */
export interface LabelLayout {
  readonly positions: number;
  readonly classCount: number;
}

/**
 * Classes are the logits' last axis: logits [N, ..., C] with labels [N, ...] or [N, ..., 1]. Logits of the labels' own shape (trailing
 * ones apart) are binary, one probability each. Errors: `eval-label-mismatch`.
 */
export function labelLayout(logitDims: readonly number[], labelDims: readonly number[]): LabelLayout {
  const labels = withoutTrailingOnes(labelDims);
  if (sameDims(withoutTrailingOnes(logitDims), labels)) return { positions: product(labels), classCount: 1 };
  const classCount = logitDims.at(-1) ?? 1;
  const rows = logitDims.slice(0, -1);
  const fits = classCount > 1 && (sameDims(rows, labelDims) || sameDims(withoutTrailingOnes(rows), labels));
  if (fits) return { positions: product(rows), classCount };
  throw new FirnError('eval-label-mismatch', `Labels of shape ${shown(labelDims)} do not fit an output of shape ${shown(logitDims)}.`);
}

/** Requires output and targets to hold one value each at the same places. Errors: `eval-label-mismatch`. */
export function requireSameValues(outputDims: readonly number[], labelDims: readonly number[]): void {
  if (sameDims(withoutTrailingOnes(outputDims), withoutTrailingOnes(labelDims))) return;
  throw new FirnError('eval-label-mismatch', `Labels of shape ${shown(labelDims)} do not fit an output of shape ${shown(outputDims)}, which must be the same.`);
}

function withoutTrailingOnes(dims: readonly number[]): readonly number[] {
  const end = dims.findLastIndex((dim) => dim !== 1) + 1;
  return dims.slice(0, end);
}

function sameDims(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((dim, axis) => dim === b[axis]);
}

function product(dims: readonly number[]): number {
  return dims.reduce((total, dim) => total * dim, 1);
}

function shown(dims: readonly number[]): string {
  return `[${dims.join(', ')}]`;
}
