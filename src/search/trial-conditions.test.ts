import { expect, test } from 'vitest';
import { deviceKinds } from '../checkpoint/device-kind.ts';
import { configKey } from '../checkpoint/options/quantization-config.ts';
import { configAlone, trialKey, type TrialConditions } from './trial-conditions.ts';

const config = { method: 'residual', step: 17 } as const;
const bare: TrialConditions = {
  ...configAlone,
  weightErrorMax: undefined,
  halves: false,
  guarded: false,
  device: 'cpu',
};

// Catalogs store these keys: a changed text would repeat the trials of every search that is taken over.
test.each([
  [bare, ''],
  [{ ...bare, halves: true }, '+halves'],
  [{ ...bare, ancestor: 'base' }, '@base'],
  [{ ...bare, ancestor: '0123abcd', others: '+priced', halves: true }, '@0123abcd+priced+halves'],
  [{ ...bare, ancestor: 'base', others: '+nearest', weightErrorMax: 0.5 }, '@base+nearest+weights0.5'],
  [{ ...bare, ancestor: 'base', halves: true, guarded: true }, '@base+halves+guarded'],
  [{ ...bare, ancestor: 'base', device: 'cuda' }, '@base+cuda'],
] satisfies [TrialConditions, string][])('%j is recorded as "%s"', (conditions, text) => {
  expect(trialKey(config, conditions)).toBe(configKey(config) + text);
});

test('different conditions never share a key', () => {
  const all = ['base', 'a', 'b'].flatMap((ancestor) =>
    ['', '+priced'].flatMap((others) =>
      [true, false].flatMap((halves) =>
        [true, false].flatMap((guarded) =>
          deviceKinds.flatMap((device) =>
            [undefined, 0.5, 0.25].map((weightErrorMax) => ({
              ...{ ancestor, others, halves, guarded, device, weightErrorMax },
            })),
          ),
        ),
      ),
    ),
  );
  expect(new Set(all.map((conditions) => trialKey(config, conditions))).size).toBe(all.length);
});

test('different configs never share a key', () => {
  expect(trialKey({ method: 'residual', step: 16 }, bare)).not.toBe(trialKey(config, bare));
});
