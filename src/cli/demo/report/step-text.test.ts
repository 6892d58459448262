import { expect, test } from 'vitest';
import { stepText } from './step-text.ts';

test.each([
  [1050.9, '1,050'],
  [1169.999, '1,169'],
  [1049.9999999998, '1,050'],
  [1170, '1,170'],
  [90, '90'],
  [3.99, '3.9'],
  [0, '0'],
])('%d reads %s: rounded down, in tenths where there are few', (step, text) => {
  expect(stepText(step)).toBe(text);
});
