import { describe, expect, test } from 'vitest';
import { measurementOf } from './measured-trials.ts';

const measurement = { whole: { loss: 2 } };
const digestOf = (sha256: string) => ({ sha256, checksums: new Uint8Array(0) });
const files = [{ role: 'sensitivity' }, { role: 'model' }, { role: 'model' }] as const;
const trial = {
  measurement,
  digests: new Map([
    [1, digestOf('aa')],
    [2, digestOf('bb')],
  ]),
};

describe('measurementOf', () => {
  test('is the trial’s if every model file is stored as the trial read it, whatever other files are', () => {
    expect(measurementOf(trial, files, ['other', 'aa', 'bb'])).toBe(measurement);
  });

  test.each([
    ['a model file is stored in another form', trial, ['other', 'aa', 'uploaded']],
    ['the trial did not read a model file', { ...trial, digests: new Map([[1, digestOf('aa')]]) }, ['', 'aa', 'bb']],
  ])('is none if %s', (_, measured, sha256) => {
    expect(measurementOf(measured, files, sha256)).toBeUndefined();
  });
});
