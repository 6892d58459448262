import { DrizzleQueryError } from 'drizzle-orm/errors';
import { expect, test } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { translateDatabaseError } from './database-error.ts';

const failure = (code: string, set: object = {}) =>
  Object.assign(new Error('relation "secret" at /data'), { code, ...set });

test.each([
  ['23505', 'conflict'],
  ['23503', 'conflict'],
  ['23001', 'conflict'],
  ['22021', 'invalid-request'],
  ['22P05', 'invalid-request'],
  ['22003', 'invalid-request'],
  ['40001', 'overloaded'],
  ['40P01', 'overloaded'],
  ['53300', 'overloaded'],
  ['53100', 'storage-full'],
  ['57P01', 'overloaded'],
  ['57014', 'overloaded'],
  ['08006', 'overloaded'],
  ['ECONNREFUSED', 'overloaded'],
  ['CONNECTION_CLOSED', 'overloaded'],
  ['42601', 'internal'],
  ['23502', 'internal'],
  ['XX000', 'internal'],
] as const)('%s becomes %s, with nothing of the database in the public sentence', (code, expected) => {
  for (const error of [failure(code), new DrizzleQueryError('select $1', ['secret'], failure(code))]) {
    const translated = translateDatabaseError(error) as FirnError;
    expect(translated).toBeInstanceOf(FirnError);
    expect(translated.code).toBe(expected);
    expect(translated.message).not.toMatch(/secret|select|data/);
    expect(translated.detail).toContain(code);
  }
});

test.each([['constraint'], ['constraint_name']])('the constraint is named in the detail, from %s', (key) => {
  expect(translateDatabaseError(failure('23505', { [key]: 'jobs_unique' }))).toMatchObject({
    detail: '23505 jobs_unique',
  });
});

test('a failed query without a code is internal', () => {
  expect(translateDatabaseError(new DrizzleQueryError('select', [], new Error('closed')))).toMatchObject({
    code: 'internal',
  });
});

test('other errors than those of the database pass unchanged', () => {
  const own = new FirnError('step-exists', 'x');
  expect(translateDatabaseError(own)).toBe(own);
  expect(translateDatabaseError(new DrizzleQueryError('select', [], own))).toBe(own);
  const bug = new TypeError('bug');
  expect(translateDatabaseError(bug)).toBe(bug);
});
