import type { AsGoodAs } from './as-good-as.ts';

/** How far the checkpoints of a lineage come back behind training. */
export interface LineageLag {
  readonly metric: string;
  readonly last: AsGoodAs;
  readonly lastStep: number;
  /** Mean of `lagSteps`: with any `beforeFirst`, the least that it is. */
  readonly meanLagSteps: number;
  /** Checkpoints that come back worse than the lineage's first upload. */
  readonly beforeFirst: number;
}

/** Of the checkpoints of a lineage in order, those of them that have it; undefined where the last has none. */
export function lineageLag(
  lineage: readonly { readonly step: number; readonly asGoodAs?: AsGoodAs | undefined }[],
): LineageLag | undefined {
  const last = lineage.at(-1);
  if (last?.asGoodAs === undefined) return undefined;
  const known = lineage.flatMap(({ asGoodAs }) => asGoodAs ?? []);
  return {
    metric: last.asGoodAs.metric,
    last: last.asGoodAs,
    lastStep: last.step,
    meanLagSteps: known.reduce((sum, { lagSteps }) => sum + lagSteps, 0) / known.length,
    beforeFirst: known.filter(({ beforeFirst }) => beforeFirst).length,
  };
}
