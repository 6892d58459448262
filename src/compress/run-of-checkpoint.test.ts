import { expect, test } from 'vitest';
import type { Run } from '../catalog/contract/run-records.ts';
import { runOfCheckpoint } from './run-of-checkpoint.ts';

const run = {
  id: 'r',
  evalSetId: 'of run',
  thresholds: { loss: 0.1 },
  layerTypes: { a: 'linear', b: 'norm' },
} as unknown as Run;

test.each<[string, Parameters<typeof runOfCheckpoint>[1], Partial<Run>]>([
  ['committed before that was fixed has what the run has', {}, { evalSetId: 'of run', thresholds: { loss: 0.1 } }],
  [
    'is measured with what was fixed',
    { evalSetId: 'own', thresholds: { x: 1 } },
    { evalSetId: 'own', thresholds: { x: 1 } },
  ],
  ['committed while the run had no eval set has none', { thresholds: {} }, { thresholds: {} }],
])('a checkpoint %s', (_, checkpoint, expected) => {
  const { evalSetId, thresholds } = runOfCheckpoint(run, checkpoint);
  expect({ ...(evalSetId !== undefined && { evalSetId }), thresholds }).toEqual(expected);
});

test('layer types given with a checkpoint win, tensor by tensor', () => {
  expect(runOfCheckpoint(run, { layerTypes: { b: 'embedding' } }).layerTypes).toEqual({ a: 'linear', b: 'embedding' });
});
