import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { nativeError } from './native-status.ts';

const header = readFileSync(new URL('../../../native/include/firn/status.h', import.meta.url), 'utf8');
/** Name and number of every status of the core except ok. */
const statuses = [...header.matchAll(/^ {2}(\w+) = (\d+),/gm)]
  .map(([, name, number]) => ({ name, number: Number(number) }))
  .filter(({ name }) => name !== 'ok');

describe('nativeError', () => {
  it('knows every status of the core by its number', () => {
    expect(statuses.length).toBeGreaterThan(5);
    for (const { name, number } of statuses)
      expect(nativeError(number)).toMatchObject({ detail: `native core: ${name}` });
  });

  it.each([
    ['corrupt', 'corrupt-package'],
    ['truncated', 'corrupt-package'],
    ['invalid_argument', 'native-failure'],
    ['out_of_memory', 'native-failure'],
    ['unsupported', 'unsupported-format'],
    ['internal', 'internal'],
  ])('makes %s of the core the error %s', (name, code) => {
    expect(nativeError(statuses.find((status) => status.name === name)?.number)).toMatchObject({
      name: 'FirnError',
      code,
    });
  });

  it('returns other values unchanged', () => {
    const error = new TypeError('argument 1');
    expect(nativeError(error)).toBe(error);
  });
});
