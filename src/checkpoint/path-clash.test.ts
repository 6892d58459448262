import { describe, expect, it } from 'vitest';
import { foldersOf, pathClash, pathClashError } from './path-clash.ts';

describe('paths of one checkpoint', () => {
  it.each([
    [
      ['a', 'a/b'],
      ['a/b', 'a'],
    ],
    [
      ['a/b/c/d', 'x', 'a/b'],
      ['a/b/c/d', 'a/b'],
    ],
    [['a', 'a.b', 'ab', 'A/b', 'b/a'], undefined],
    [['a', 'a'], undefined],
    [[], undefined],
  ])('%j clash in %j', (paths, clash) => {
    expect(pathClash(paths)).toEqual(clash);
  });

  it('lie in their folders', () => {
    expect(foldersOf('a/b/c')).toEqual(['a', 'a/b']);
    expect(foldersOf('a')).toEqual([]);
  });

  it('are named in the refusal', () => {
    expect(pathClashError(['a/b', 'a'])).toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining('"a/b" and "a"') as string,
    });
  });
});
