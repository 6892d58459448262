import { expect, test } from 'vitest';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import type { QualityThresholds } from '../../checkpoint/quality/quality.ts';
import { boundAfterRestart, type BoundedQuality } from './bound-after-restart.ts';
import { settleBound, type SettledBound } from './settle-bound.ts';

const spec: EvalSetSpec = {
  inputs: { x: 'x' },
  metrics: [
    { name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'y' },
    { name: 'apart', kind: 'kl-divergence', output: 'logits' },
  ],
};
/** Training won 0.02 of 2 since the checkpoint before. */
const earlier = [{ run: 'train', step: 10, metrics: { loss: 2.02 } }];

function settledBy(thresholds: QualityThresholds): SettledBound {
  return settleBound(
    {
      gate: { spec, observedMetrics: [] },
      baseline: { whole: { loss: 2, apart: 0 } },
      earlier,
      standardErrors: 0,
      divergenceMax: undefined,
    },
    thresholds,
  );
}

function modelWith(thresholds: QualityThresholds): { readonly quality: BoundedQuality } {
  const { bound, limits, words } = settledBy(thresholds);
  return {
    quality: { gate: { spec }, settle: settledBy, bound, limits, understood: ['The graph was read.', ...words] },
  };
}

test('a threshold without progress has half of it after a restart, and the result says why', () => {
  const thresholds = { loss: 0.01 };
  const { quality } = boundAfterRestart(modelWith(thresholds), thresholds);
  expect(quality.limits['loss']).toMatchObject({ boundBy: 'progress', withoutProgress: 0.01 });
  // Half of 0.02, relative to a loss of 2.
  expect(quality.bound.thresholds['loss']).toBeCloseTo(0.005, 12);
  expect(quality.understood[0]).toBe('The graph was read.');
  expect(quality.understood[1]).toContain('Training went on from rebuilt weights');
  expect(quality.understood).toHaveLength(3);
});

test('thresholds that training does not improve stay as they were, and nothing is said', () => {
  const thresholds = { apart: 0.02 };
  const model = modelWith(thresholds);
  expect(boundAfterRestart(model, thresholds)).toBe(model);
});

test('thresholds that have progress stay as they were, and nothing is said', () => {
  const thresholds = { loss: { relative: 0.01, progress: 1 } };
  const model = modelWith(thresholds);
  expect(boundAfterRestart(model, thresholds)).toBe(model);
});

test('where some thresholds have progress and others do not, no sentence is said twice', () => {
  const both: EvalSetSpec = {
    ...spec,
    metrics: [spec.metrics[0]!, { name: 'score', kind: 'accuracy', output: 'logits', labels: 'y' }],
  };
  const settle = (thresholds: QualityThresholds): SettledBound =>
    settleBound(
      {
        gate: { spec: both, observedMetrics: [] },
        baseline: { whole: { loss: 2, score: 0.5 } },
        earlier: [{ run: 'train', step: 10, metrics: { loss: 2.02, score: 0.49 } }],
        standardErrors: 0,
        divergenceMax: undefined,
      },
      thresholds,
    );
  const thresholds = { loss: { relative: 0.01, progress: 0.5 }, score: 0.01 };
  const { bound, limits, words } = settle(thresholds);
  expect(words).toHaveLength(1);
  const model = { quality: { gate: { spec: both }, settle, bound, limits, understood: words } };
  const { understood } = boundAfterRestart(model, thresholds).quality;
  expect(understood).toHaveLength(3);
  expect(new Set(understood).size).toBe(3);
});

test('without an eval set there is nothing to bound', () => {
  const model: { readonly quality?: BoundedQuality } = {};
  expect(boundAfterRestart(model, { loss: 0.01 })).toBe(model);
});
