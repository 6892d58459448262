import { asGoodAs, type LeadingMetric } from '../../../src/checkpoint/quality/as-good-as.ts';
import { lineageLag, type LineageLag } from '../../../src/cli/demo/report/lineage-lag.ts';
import type { MethodResult } from '../method-result.ts';

/** Lag of a method's checkpoints, computed as in the demo. Undefined if the last one's is unknown. */
export function methodLag({ outcomes }: MethodResult, leading: LeadingMetric): LineageLag | undefined {
  return lineageLag(
    outcomes.map((outcome) => ({ step: outcome.step, asGoodAs: asGoodAs(outcome, outcomes, leading) })),
  );
}
