import { checkpointExample } from './checkpoint-examples.ts';

/** What a checkpoint would take at twice its threshold. */
export const estimateExample = {
  run: 'train',
  step: 1200,
  thresholds: { loss: 0.01 },
  state: 'done',
  result: {
    ...checkpointExample.result,
    config: { method: 'residual', step: -35, stepSize: 0.5336 },
    storedBytes: 31204,
    measured: { loss: 4.5932 },
    degradation: { loss: 0.0095832 },
    limits: { loss: { boundBy: 'relative', degradationMax: 0.01 } },
  },
  createdAt: '2026-01-02T03:10:12.101Z',
  finishedAt: '2026-01-02T03:10:16.502Z',
  href: '/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/estimate',
};
