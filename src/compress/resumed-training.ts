import type { AncestorCandidate } from './find-ancestor.ts';

/**
 * Weights nearer to what the ancestor rebuilds than this, in its steps and root mean square, were trained on from there. Rounding alone leaves 1/sqrt(12) of a step, so weights
 * that were trained on from the upload are never as near.
 */
const resumedBelow = 0.9 / Math.sqrt(12);

/** What is known of whether training went on from what the hub rebuilt. */
export type Resumption = {
  /** The strictest threshold of the run. */
  readonly threshold: number;
  /** One of the checkpoints before, as far back as ancestors are looked for, was found to be resumed. */
  readonly before: boolean;
} & ({ readonly here: false } | { readonly here: true; readonly drift: number });

/** What the checkpoints before tell. */
export function resumptionBefore(thresholds: Readonly<Record<string, number>>, candidates: readonly AncestorCandidate[]): Resumption {
  return {
    threshold: Math.min(...Object.values(thresholds)),
    before: candidates.some(({ checkpoint }) => checkpoint.result?.resumed === true),
    here: false,
  };
}

/** The same with what the weights tell. `drift`: see measureDrift; undefined without an ancestor. */
export function resumptionHere({ threshold, before }: Resumption, drift: number | undefined): Resumption {
  return drift !== undefined && drift < resumedBelow ? { threshold, before, here: true, drift } : { threshold, before, here: false };
}

/** Whether what is rebuilt must not lag behind: training was resumed now or not long ago. */
export function isResumed({ before, here }: Resumption): boolean {
  return before || here;
}
