import type { HalvedMetrics } from '../../checkpoint/quality/quality.ts';
import { requireHalves } from './require-halves.ts';
import { addBatches, newMetricSet, type BatchRun } from './run-batches.ts';

/**
 * Runs every batch once, like {@link runBatches} and with the same values over the whole set, and also sums the metrics
 * of the even and of the odd batches separately. The graph costs the same as without halves; the metrics are computed
 * twice. Errors: those of {@link runBatches}, and `eval-input-mismatch` if the batches do not make two halves.
 */
export async function runHalves(run: Omit<BatchRun, 'batches'>): Promise<HalvedMetrics> {
  requireHalves(run.prepared);
  const [whole, first, second] = [newMetricSet(run), newMetricSet(run), newMetricSet(run)];
  await addBatches(run, (batch) => [whole, batch % 2 === 0 ? first : second]);
  return { whole: whole.values(), halves: [first.values(), second.values()] };
}
