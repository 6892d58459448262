import type { QualityThresholds } from '../../src/checkpoint/quality/quality.ts';
import { prepareBenchHub } from '../prepare-bench-hub.ts';
import { runAtHub, type BenchPlace, type HubRun } from './hub-run.ts';
import { narrowSeries } from './series/narrow-series.ts';

export const bitSnapName = 'BitSnap';

/**
 * BitSnap's run at a hub, over a series whose weights were rounded to BF16 before, because its bitmasks are for states
 * of 16 bits (section 3.3), as in mixed-precision training. Uploaded bytes are those of the rounded weights. Optimizer
 * state is left out. Rejects as runAtHub.
 */
export async function runBitSnap(
  { series, ...place }: Omit<BenchPlace, 'repository'>,
  { thresholds, onProgress }: { readonly thresholds: QualityThresholds; readonly onProgress: (line: string) => void },
): Promise<HubRun> {
  const { hub, core, directory } = place;
  const narrow = await narrowSeries(series, directory, core);
  const checkpoints = narrow.checkpoints.map(({ optimizerPath: _, ...checkpoint }) => checkpoint);
  const weights = { ...narrow, checkpoints };
  const repository = await prepareBenchHub(hub, 'bitsnap', weights);
  return runAtHub(
    { ...place, series: weights, repository },
    { run: 'bitsnap', thresholds, search: { method: 'bitsnap' } },
    onProgress,
  );
}
