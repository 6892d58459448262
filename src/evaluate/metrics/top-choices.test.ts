import { expect, test } from 'vitest';
import { beatsChance, TopChoices } from './top-choices.ts';

/** Logits of which `choice` is the largest. */
function row(choice: number, classCount: number) {
  const data = Float32Array.from({ length: classCount }, (_, at) => (at === choice ? 2 : -at));
  return { data, start: 0, classCount, stride: 1 };
}

function found(pairs: readonly (readonly [choice: number, label: number])[], classCount: number) {
  const choices = new TopChoices();
  for (const [choice, label] of pairs) choices.add(row(choice, classCount), label);
  return choices.findings()!;
}

test('a share of first choices is right, and chance is what they would get of labels dealt out anew', () => {
  expect(
    found(
      [
        [0, 0],
        [1, 1],
        [2, 1],
        [0, 3],
      ],
      4,
    ),
  ).toEqual({ right: 0.5, byChance: (2 * 1 + 1 * 2) / 16 });
  expect(new TopChoices().findings()).toBeUndefined();
});

test('a model that always chooses the most frequent class is right by chance alone', () => {
  const always = found(
    Array.from({ length: 1000 }, (_, at) => [0, at % 10 === 9 ? 1 : 0] as const),
    10,
  );
  expect(always).toEqual({ right: 0.9, byChance: 0.9 });
  expect(beatsChance(always, 1000)).toBe(false);
});

test('twice as often right as by chance is beyond it on a thousand positions, and chance itself on twenty', () => {
  const pairs = (count: number) =>
    Array.from({ length: count }, (_, at) => [at % 10, at % 5 === 0 ? at % 10 : (at + 3) % 10] as const);
  const measured = found(pairs(1000), 10);
  expect(measured.right).toBeCloseTo(0.2, 6);
  expect(beatsChance(measured, 1000)).toBe(true);
  expect(beatsChance({ right: 0.2, byChance: 0.1 }, 20)).toBe(false);
});
