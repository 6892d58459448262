import { describe, expect, test } from 'vitest';
import type { SearchOption } from './methods/method-config.ts';
import { configKey, methodConfigs, quantizationMethods, type QuantizationConfig } from './quantization-config.ts';
import { defaultSearchOptions } from './search-options.ts';

const paper = {
  method: 'inshrinkerator',
  bins: 8,
  embeddingBins: 16,
  pruneFraction: 0.2,
  pruneMetric: 'magnitude',
  protectFraction: 0.005,
} as const;

test.each<readonly [QuantizationConfig, string]>([
  [{ method: 'residual', step: -16 }, 'residual/-16'],
  [paper, 'inshrinkerator/8/16/0.2/magnitude/0.005'],
  [{ ...paper, bitPrice: 4 }, 'inshrinkerator/8/16/0.2/magnitude/0.005/4'],
])('the key of a config is the one that trials were recorded under: %j', (config, key) => {
  expect(configKey(config)).toBe(key);
});

describe.each(methodConfigs.map((entry) => [entry.method, entry] as const))('the entry of %s', (method, entry) => {
  test('stands under its own name, with an example that its rules allow', () => {
    expect(quantizationMethods).toContain(method);
    expect(entry.example.method).toBe(method);
    expect(() => entry.check?.(entry.example)).not.toThrow();
    expect(entry.describe(entry.example)).not.toBe('');
  });

  test('tells two configs apart by a key whose parts have no slash', () => {
    for (const part of entry.key(entry.example)) expect(String(part)).not.toContain('/');
  });

  test('describes each field of its example', () => {
    const described = Object.keys(entry.fields);
    for (const field of Object.keys(entry.example)) if (field !== 'method') expect(described).toContain(field);
  });
});

test('one method at most may go without its name', () => {
  expect(methodConfigs.filter(({ unnamed }) => unnamed !== undefined).length).toBeLessThanOrEqual(1);
});

test('the default search is inside the rules of every method', () => {
  for (const { checkSearch } of methodConfigs) expect(() => checkSearch?.(defaultSearchOptions)).not.toThrow();
});

test('every search option of a method takes values, or is an axis of one of its fields', () => {
  for (const { fields, searchOptions } of methodConfigs)
    for (const [name, { field, axisOf }] of Object.entries<SearchOption<unknown>>({ ...searchOptions }))
      expect(field !== undefined || (axisOf !== undefined && axisOf in fields), name).toBe(true);
});

// Runs store these, and forks inherit them: what one method owns must not change what runs of another have.
test('a run that gives no option has the defaults of every method', () => {
  expect(defaultSearchOptions).toEqual({
    method: 'residual',
    trialsMax: 64,
    evalBatches: 'all',
    weightErrorMax: 0.5,
    standardErrors: 1,
    divergenceMax: 1,
    expectsWithin: 0.01,
    rounding: 'nearest',
    hysteresis: 'fixed',
    bins: [4, 6, 8, 12, 16, 32],
    embeddingBins: [16, 32],
    pruneFractions: [0.5, 0.4, 0.3, 0.2, 0.1, 0],
    protectFractions: [0.0005, 0.005, 0.01],
    bitPrices: [32, 16, 8, 4, 2, 1],
    neighbourhoodRadius: 1,
    neverMoreAggressive: false,
    clustering: 'kmeanspp',
    codebookSeed: 'run',
  });
});
