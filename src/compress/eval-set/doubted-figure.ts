/** Said to a person who checks an eval set before training. */
export const doubtedIsExact =
  'A checkpoint with such a figure is stored exact, unless the eval set\'s spec says "allowDoubted": true.';

export interface Doubted {
  /** Sentences of the examination that doubt that a figure is the model's. */
  readonly doubts: readonly string[];
  /** Whether the eval set accepts doubted figures. */
  readonly allowed: boolean | undefined;
  /** Whether the training job measured the same figure. */
  readonly confirmed: boolean;
}

/**
 * The reason to store a checkpoint exact although the training job reported no other figure: the measured figure is
 * probably not the model's, and a threshold on it would bound nothing. Undefined if nothing is doubted, the eval set
 * accepts doubts, or the training job measured the same figure.
 */
export function doubtedFigure({ doubts, allowed = false, confirmed }: Doubted): string | undefined {
  if (doubts.length === 0 || allowed || confirmed) return undefined;
  return (
    'What was measured is doubted, so the checkpoint is stored exact: thresholds on it may bound nothing. If ' +
    'the figure is right, say "allowDoubted": true in the eval set\'s spec.'
  );
}
