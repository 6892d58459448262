import type { AsGoodAs } from '../../../checkpoint/quality/as-good-as.ts';
import { stepText } from './step-text.ts';

/**
 * The table cell of a checkpoint's lag. For example `1,050 of 1,170`; `before 90` if even the first upload, of step 90,
 * is better; `-` if unknown.
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
