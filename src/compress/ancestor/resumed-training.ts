import type { AncestorCandidate } from './find-ancestor.ts';

/**
 * Weights that are this much nearer to what the ancestor rebuilds than its rounding left them (root mean squares) were
 * trained on from there. Those trained on from the upload are never nearer: what they move comes on top.
 */
const nearer = 0.9;

/** What is known of whether training went on from what the hub rebuilt. */
export type Resumption = {
  /** The strictest threshold of the run. */
  readonly threshold: number;
  /** One of the checkpoints before, as far back as ancestors are looked for, was found to be resumed. */
  readonly before: boolean;
} & ({ readonly here: false } | { readonly here: true; readonly drift: number });

/** What the checkpoints before tell. */
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
 * The same with what the weights tell. `drift`: see measureDrift. `roundingError`: what the ancestor's rounding left,
 * alike. Undefined where not known.
 */
export function resumptionHere(
  { threshold, before }: Resumption,
  drift: number | undefined,
  roundingError: number | undefined,
): Resumption {
  const here = drift !== undefined && roundingError !== undefined && drift < nearer * roundingError;
  return here ? { threshold, before, here, drift } : { threshold, before, here: false };
}

/** Whether what is rebuilt must not lag behind: training was resumed now or not long ago. */
export function isResumed({ before, here }: Resumption): boolean {
  return before || here;
}
