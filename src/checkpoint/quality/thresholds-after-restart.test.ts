import { expect, it } from 'vitest';
import { thresholdsAfterRestart } from './thresholds-after-restart.ts';

it('bounds progress after a restart, but where it is bounded already or means nothing', () => {
  const metrics = [
    { name: 'loss', kind: 'cross-entropy' },
    { name: 'score', kind: 'accuracy' },
    { name: 'apart', kind: 'kl-divergence' },
  ] as const;
  expect(thresholdsAfterRestart({ loss: 0.005, score: { absolute: 0.01, progress: 1 }, apart: 0.02 }, metrics)).toEqual(
    {
      loss: { relative: 0.005, progress: 0.5 },
      score: { absolute: 0.01, progress: 1 },
      apart: 0.02,
    },
  );
});
