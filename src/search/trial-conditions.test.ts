import { expect, test } from 'vitest';
import { configKey } from '../checkpoint/options/quantization-config.ts';
import { hysteresisChoices, roundingChoices } from '../checkpoint/options/methods/residual-search-options.ts';
import { configAlone, trialKey, type TrialConditions } from './trial-conditions.ts';

const config = { method: 'residual', step: 17 } as const;
const plain: TrialConditions = {
  ancestor: 'base',
  gptq: false,
  rounding: 'archive',
  hysteresis: 'fixed',
  weightErrorMax: undefined,
  halves: false,
  guarded: false,
};
const suffix = (conditions: TrialConditions): string => {
  const key = trialKey(config, conditions);
  expect(key.startsWith(configKey(config))).toBe(true);
  return key.slice(configKey(config).length);
};

// Catalogs store these keys: a changed text would repeat the trials of every search that is taken over.
test.each([
  [{ ...configAlone, weightErrorMax: undefined, halves: false, guarded: false }, ''],
  [{ ...configAlone, weightErrorMax: undefined, halves: true, guarded: false }, '+halves'],
  [plain, '@base'],
  [{ ...plain, ancestor: '0123abcd' }, '@0123abcd'],
  [{ ...plain, gptq: true }, '@base+feedback'],
  [{ ...plain, rounding: 'nearest' }, '@base+nearest'],
  [{ ...plain, hysteresis: 'priced' }, '@base+priced'],
  [
    { ...plain, ancestor: '0123abcd', gptq: true, hysteresis: 'priced', halves: true },
    '@0123abcd+feedback+priced+halves',
  ],
  [{ ...plain, gptq: true, rounding: 'nearest', halves: true }, '@base+feedback+nearest+halves'],
  [{ ...plain, rounding: 'nearest', weightErrorMax: 0.5 }, '@base+nearest+weights0.5'],
  [{ ...plain, halves: true, guarded: true }, '@base+halves+guarded'],
] satisfies [TrialConditions, string][])('%j is recorded as "%s"', (conditions, text) => {
  expect(suffix(conditions)).toBe(text);
});

test('different conditions never share a key', () => {
  const all = ['base', 'a', 'b'].flatMap((ancestor) =>
    [true, false].flatMap((gptq) =>
      roundingChoices.flatMap((rounding) =>
        hysteresisChoices.flatMap((hysteresis) =>
          [true, false].flatMap((halves) =>
            [undefined, 0.5, 0.25].map((weightErrorMax) => ({
              ...{ ancestor, gptq, rounding, hysteresis, halves },
              weightErrorMax,
              guarded: weightErrorMax === 0.5,
            })),
          ),
        ),
      ),
    ),
  );
  expect(new Set(all.map((conditions) => trialKey(config, conditions))).size).toBe(all.length);
});

test('different configs never share a key', () => {
  expect(trialKey({ method: 'residual', step: 16 }, plain)).not.toBe(trialKey(config, plain));
});
