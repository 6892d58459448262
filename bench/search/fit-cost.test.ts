import { expect, test } from 'vitest';
import { costForms, fitCost, type CostForm, type SearchCost } from './fit-cost.ts';

const [a, b, c] = [2, 3, 0.5];
const forms = Object.keys(costForms) as CostForm[];
/** Searches that cost exactly what a form says. */
const searchesBy = (form: CostForm): SearchCost[] =>
  [0.5, 2, 7, 80].flatMap((megaweights) =>
    [4, 6, 11].map((evaluations) => {
      const [first, second] = costForms[form]({ megaweights, evaluations, seconds: 0 });
      return { megaweights, evaluations, seconds: a + b * first + c * second };
    }),
  );

test.each(forms)('costs by %s are found again, and by no other form', (form) => {
  const found = fitCost(searchesBy(form), form);
  expect([found.a, found.b, found.c]).toEqual([a, b, c].map((value) => expect.closeTo(value, 6)));
  expect(found.errorMax).toBeLessThan(1e-6);
  for (const other of forms.filter((each) => each !== form))
    expect(fitCost(searchesBy(form), other).errorMax).toBeGreaterThan(0.05);
});

test('searches of one size and one number of evaluations determine nothing', () => {
  const same = { megaweights: 1, evaluations: 4, seconds: 3 };
  for (const form of forms) expect(() => fitCost([same, same, same, same], form)).toThrow(/do not determine/);
});
