import type { AsGoodAs } from '../../../checkpoint/quality/as-good-as.ts';

/** Lag of the checkpoints of a lineage. */
export interface LineageLag {
  readonly metric: string;
  readonly last: AsGoodAs;
  readonly lastStep: number;
  /** Mean of `lagSteps`; a lower bound if `beforeFirst` is not 0. */
  readonly meanLagSteps: number;
  /** Rebuilt checkpoints that are worse than the lineage's first upload. */
  readonly beforeFirst: number;
}

/** Lag of the checkpoints of a lineage in order, ignoring those without one; undefined if the last has none. */
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
