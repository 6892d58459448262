/** For whoever checks an eval set before training. */
export const doubtedIsExact =
  'A checkpoint with such a figure is stored exact, unless the eval set\'s spec says "allowDoubted": true.';

export interface Doubted {
  /** Sentences of the examination that say a figure is hardly the model's. */
  readonly doubts: readonly string[];
  /** What the eval set says of them. */
  readonly allowed: boolean | undefined;
  /** Whether the training job measured the same figure. */
  readonly confirmed: boolean;
}

/**
 * Why a checkpoint is stored exact although nobody reported another figure: the one that was measured is hardly the
 * model's, and a threshold on it would let weights be quantized by a measure that means nothing. Undefined where
 * nothing is doubted, where the eval set allows it, or where the training job measured the same.
 */
export function doubtedFigure({ doubts, allowed = false, confirmed }: Doubted): string | undefined {
  if (doubts.length === 0 || allowed || confirmed) return undefined;
  return 'What was measured is doubted, so the checkpoint is stored exact: thresholds on it may bound nothing. If the figure is right, say "allowDoubted": true in the eval set\'s spec.';
}
