import { asGoodAs, type LeadingMetric } from '../../src/cli/demo/report/as-good-as.ts';
import { lineageLag, type LineageLag } from '../../src/cli/demo/report/lineage-lag.ts';
import type { MethodResult } from './method-result.ts';

/**
 * How far behind training a method's checkpoints come back, as the demo tells it. Undefined where it cannot be told of
 * the last one.
 */
export function methodLag({ outcomes }: MethodResult, leading: LeadingMetric): LineageLag | undefined {
  return lineageLag(
    outcomes.map((outcome) => ({ step: outcome.step, asGoodAs: asGoodAs(outcome, outcomes, leading) })),
  );
}
