import type { RunLayout } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { checkSameLayout } from '../../ingest/run/run-layout.ts';

/** Whether two models have the same tensors, with the same dtypes and shapes. */
export function isSameLayout(layout: RunLayout, model: RunLayout): boolean {
  try {
    checkSameLayout(layout, model);
    return true;
  } catch (error) {
    if (error instanceof FirnError && error.code === 'layout-mismatch') return false;
    throw error;
  }
}
