import { expect, test } from 'vitest';
import { FirnError } from '../checkpoint/firn-error.ts';
import { isPermanent } from './permanent-failure.ts';

test.each([
  'layout-mismatch',
  'graph-invalid',
  'eval-timeout',
  'eval-memory',
  'header-invalid',
  'invalid-request',
] as const)('%s would be the same again', (code) => {
  expect(isPermanent(new FirnError(code, 'x'))).toBe(true);
});

test.each([
  'storage-full',
  'overloaded',
  'internal',
  'native-failure',
  'conflict',
  'corrupt-object',
  'eval-crashed',
  'eval-device',
] as const)('%s may pass', (code) => {
  expect(isPermanent(new FirnError(code, 'x'))).toBe(false);
});

test('an error that is not understood is tried again', () => {
  expect(isPermanent(new TypeError('bug'))).toBe(false);
});
