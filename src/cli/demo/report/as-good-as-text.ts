import type { AsGoodAs } from './as-good-as.ts';
import { stepText } from './step-text.ts';

/**
 * What a cell says of a checkpoint. For example `1,050 of 1,170`; `before 90` where the first upload, of step 90, is
 * better already; `-` where it cannot be told.
 */
export function asGoodAsText({
  step,
  asGoodAs,
}: {
  readonly step: number;
  readonly asGoodAs?: AsGoodAs | undefined;
}): string {
  if (asGoodAs === undefined) return '-';
  if (asGoodAs.beforeFirst) return `before ${stepText(asGoodAs.step)}`;
  return `${stepText(asGoodAs.step)} of ${stepText(step)}`;
}
