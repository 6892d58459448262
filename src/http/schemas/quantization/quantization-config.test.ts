import { describe, expect, test } from 'vitest';
import { methodConfigs } from '../../../checkpoint/options/quantization-config.ts';
import { quantizationConfigInput, quantizationConfigSchema, renderConfig } from './quantization-config.ts';

const paper = { bins: 8, embeddingBins: 16, pruneFraction: 0.2, protectFraction: 0.005 };
const read = (given: unknown) => quantizationConfigInput.safeParse(given).data;

describe.each(methodConfigs.map((entry) => [entry.method, entry.example] as const))('a config of %s', (_, example) => {
  test('is taken as it is given, and shown as it is stored', () => {
    expect(read(example)).toEqual(example);
    expect(quantizationConfigSchema.parse(example)).toEqual(example);
  });

  test('has no field that is not its own', () => {
    expect(read({ ...example, unheard: 1 })).toBeUndefined();
  });
});

test.each<readonly [string, unknown, unknown]>([
  ['without a method, bins are of the paper', paper, { ...paper, method: 'inshrinkerator', pruneMetric: 'magnitude' }],
  [
    'a metric that is given stays',
    { ...paper, pruneMetric: 'sensitivity' },
    { ...paper, method: 'inshrinkerator', pruneMetric: 'sensitivity' },
  ],
  [
    'a price of bits at its limit',
    { ...paper, bitPrice: 1024 },
    { ...paper, bitPrice: 1024, method: 'inshrinkerator', pruneMetric: 'magnitude' },
  ],
  ['a price of bits above it', { ...paper, bitPrice: 1024.5 }, undefined],
  ['a fraction of one', { ...paper, pruneFraction: 1 }, undefined],
  ['bins that are no whole number', { ...paper, bins: 8.5 }, undefined],
  ['bins that are missing', { ...paper, bins: undefined }, undefined],
  ['a metric that does not exist', { ...paper, pruneMetric: 'taste' }, undefined],
  ['the finest step', { method: 'residual', step: -512 }, { method: 'residual', step: -512 }],
  ['a step below it', { method: 'residual', step: -513 }, undefined],
  ['a step above the coarsest', { method: 'residual', step: 257 }, undefined],
  ['a step without a method', { step: 1 }, undefined],
  ['a method that does not exist', { method: 'magic' }, undefined],
])('%s', (_, given, config) => {
  expect(read(given)).toEqual(config);
});

test.each([
  [0, 1],
  [32, 2],
  [-32, 0.5],
  [17, 1.445],
])(
  'the quantization step of index %i is shown as %d standard deviations; what was shown can be sent back',
  (step, stepSize) => {
    const config = { method: 'residual', step } as const;
    expect(renderConfig(config)).toEqual({ ...config, stepSize });
    expect(read(renderConfig(config))).toEqual(config);
    expect(quantizationConfigSchema.parse(renderConfig(config))).toEqual({ ...config, stepSize });
  },
);

test('a config from which nothing follows is shown as it is', () => {
  const config = { ...paper, method: 'inshrinkerator', pruneMetric: 'magnitude' } as const;
  expect(renderConfig(config)).toEqual(config);
});
