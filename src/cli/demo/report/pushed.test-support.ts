import type { CheckpointResult } from '../../../catalog/contract/checkpoint-records.ts';
import type { CheckpointStatus, PushedCheckpoint } from '../push-series.ts';

export const result: CheckpointResult = {
  fidelity: 'lossy',
  config: {
    method: 'inshrinkerator',
    bins: 8,
    embeddingBins: 16,
    pruneFraction: 0.3,
    pruneMetric: 'sensitivity',
    protectFraction: 0.005,
  },
  warnings: [],
  baseline: { loss: 2, accuracy: 0.5 },
  measured: { loss: 2.05, accuracy: 0.45 },
  degradation: { loss: 0.025, accuracy: 0.1 },
  kind: 'delta',
  ancestorStep: 100,
  chainLength: 2,
  rawBytes: 1000,
  storedBytes: 40,
  migration: 0.1,
  trialCount: 4,
  seconds: {},
};

/** A ready checkpoint: step 100 of `train`, with the test's changes. */
export const pushed = (
  changes: Partial<CheckpointResult> = {},
  status: Partial<CheckpointStatus> = {},
  at: { run?: string; step?: number } = {},
): PushedCheckpoint => ({
  run: at.run ?? 'train',
  checkpoint: { index: 0, step: at.step ?? 100, modelFiles: [], recorded: { loss: 2.01 } },
  path: '/p',
  seconds: 1.25,
  status: { state: 'ready', step: at.step ?? 100, result: { ...result, ...changes }, files: [], ...status },
});
