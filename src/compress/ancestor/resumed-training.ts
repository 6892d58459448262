import type { AncestorCandidate } from './find-ancestor.ts';

/**
 * If weights are this much nearer to the rebuilt ancestor than its rounding error (root mean squares), training resumed
 * from the rebuilt weights. Weights trained on from the upload are never nearer: their moves add to the rounding error.
 */
const nearer = 0.9;

/** Findings on whether training was resumed from a rebuilt checkpoint. */
export type Resumption = {
  /** The strictest threshold of the run. */
  readonly threshold: number;
  /** Whether one of the earlier checkpoints, as far back as the search for ancestors goes, was found to be resumed. */
  readonly before: boolean;
} & ({ readonly here: false } | { readonly here: true; readonly drift: number });

/** Findings from the earlier checkpoints. */
export function resumptionBefore(
  thresholds: Readonly<Record<string, number>>,
  candidates: readonly AncestorCandidate[],
): Resumption {
  return {
    threshold: Math.min(...Object.values(thresholds)),
    before: candidates.some(({ checkpoint }) => checkpoint.result?.resumed === true),
    here: false,
  };
}

/**
 * Adds the findings from the weights. `drift`: see measureDrift. `roundingError`: the rounding error that the ancestor
 * left, in the same unit. Undefined if not known.
 */
export function resumptionHere(
  { threshold, before }: Resumption,
  drift: number | undefined,
  roundingError: number | undefined,
): Resumption {
  const here = drift !== undefined && roundingError !== undefined && drift < nearer * roundingError;
  return here ? { threshold, before, here, drift } : { threshold, before, here: false };
}

/** Whether the rebuilt model must not lag behind: training was resumed now or recently. */
export function isResumed({ before, here }: Resumption): boolean {
  return before || here;
}
