import { expect, test } from 'vitest';
import { metricRows } from './metrics-in-words.ts';

const result = {
  baseline: { loss: 2.3010456789012345, error: 0.25 },
  measured: { loss: 2.3099999999999996, error: null },
};

test('a person sees six significant digits of each metric before and after', () => {
  expect(metricRows({ isPerson: true }, result)).toEqual([
    ['loss', '2.30105 before, 2.31 after'],
    ['error', '0.25 before, not finite after'],
  ]);
});

test('a program gets all of them', () => {
  expect(metricRows({ isPerson: false }, result)[0]).toEqual([
    'loss',
    `${result.baseline.loss} before, ${result.measured.loss} after`,
  ]);
  expect(metricRows({ isPerson: false }, undefined)).toEqual([]);
});
