import { expect, it } from 'vitest';
import { errorHelp } from './error-help.ts';
import { firnErrorCodes } from './firn-error.ts';

it.each(firnErrorCodes)('%s says its cause, what to do and an example, in sentences of its own', (code) => {
  const { cause, remedy, example } = errorHelp[code];
  for (const sentence of [cause, remedy, example]) expect(sentence, sentence).toMatch(/^\S.{10,}\S\.?$/);
  expect(cause).toMatch(/\.$/);
  expect(remedy).toMatch(/\.$/);
  expect(firnErrorCodes.filter((other) => errorHelp[other].cause === cause)).toEqual([code]);
  expect(firnErrorCodes.filter((other) => errorHelp[other].example === example)).toEqual([code]);
});
