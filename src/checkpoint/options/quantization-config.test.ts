import { describe, expect, test } from 'vitest';
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

test('the axes of the default search are inside the rules of every method', () => {
  for (const { checkAxes } of methodConfigs) expect(() => checkAxes?.(defaultSearchOptions)).not.toThrow();
});
