import { expect, test } from 'vitest';
import { hysteresisChoices, roundingChoices } from '../../../checkpoint/options/methods/residual-search-options.ts';
import { residualConditions, type ResidualConditions } from './residual-conditions.ts';

const plain: ResidualConditions = {
  ancestor: undefined,
  gptq: false,
  rounding: 'archive',
  hysteresis: 'fixed',
  isLimited: false,
  isPulled: false,
};

// Keys of stored trials hold these words (search/trial-conditions.ts).
test.each([
  [plain, ''],
  [{ ...plain, gptq: true }, '+feedback'],
  [{ ...plain, rounding: 'nearest', hysteresis: undefined }, '+nearest'],
  [{ ...plain, hysteresis: 'priced' }, '+priced'],
  [{ ...plain, gptq: true, hysteresis: 'priced' }, '+feedback+priced'],
  [{ ...plain, gptq: true, rounding: 'nearest' }, '+feedback+nearest'],
  [{ ...plain, isLimited: true }, '+limited'],
  [{ ...plain, isPulled: true }, '+follows'],
] satisfies [ResidualConditions, string][])('%j are recorded as "%s"', (conditions, others) => {
  expect(residualConditions(conditions)).toEqual({ ancestor: 'base', others });
  expect(residualConditions({ ...conditions, ancestor: '0123' })).toEqual({ ancestor: '0123', others });
});

test('different conditions never share words', () => {
  const all = [true, false].flatMap((gptq) =>
    roundingChoices.flatMap((rounding) =>
      hysteresisChoices.flatMap((hysteresis) =>
        [true, false].flatMap((isLimited) =>
          [true, false].map((isPulled) => ({ ancestor: undefined, gptq, rounding, hysteresis, isLimited, isPulled })),
        ),
      ),
    ),
  );
  expect(new Set(all.map((conditions) => residualConditions(conditions).others)).size).toBe(all.length);
});
