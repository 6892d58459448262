import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkFilePath, isName, isRunName, nameLengthMax, pathLengthMax } from './names.ts';

/** Texts of the characters that names and paths are made of, and of a few others. */
const likely = fc.string({ unit: fc.constantFrom(...'aZ0._-/\\\n\u007fé '), maxLength: 12 });

describe('names', () => {
  it('are letters, digits and single separators between them', () => {
    const plain = (text: string) =>
      /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(text) && !text.includes('..') && !text.includes('--');
    fc.assert(
      fc.property(likely, (text) => isName(text) === plain(text)),
      { numRuns: 5000 },
    );
  });

  it.each(['a', 'a.b', 'a__b', 'a-.b', 'a._-b', 'a-_-b', 'a'.repeat(nameLengthMax)])('may be %s', (name) => {
    expect(isName(name)).toBe(true);
  });

  it.each(['', '-a', 'a-', 'a..b', 'a--b', 'a_', 'a\n', 'é', 'a/b', 'a'.repeat(nameLengthMax + 1)])(
    'may not be %j',
    (name) => {
      expect(isName(name)).toBe(false);
    },
  );

  it('are read in time that grows with the text alone', () => {
    const startedMs = performance.now();
    isName(`${'a._-'.repeat(1_000_000)}!`.slice(0, nameLengthMax));
    expect(() => checkFilePath(`${'../'.repeat(300)}${'.'.repeat(60)}\n`)).toThrow('The file path is not allowed');
    expect(performance.now() - startedMs).toBeLessThan(200);
  });

  it.each(['main', 'step-', 'step-12', 'a.lock'])('of runs may not be %s', (name) => {
    expect([isName(name), isRunName(name)]).toEqual([isName(name), false]);
  });

  it.each(['mainly', 'a-step-1', 'steps', 'lock', 'a.locked'])('of runs may be %s', (name) => {
    expect(isRunName(name)).toBe(true);
  });
});

describe('paths of files', () => {
  const isPath = (path: string): boolean => {
    try {
      return checkFilePath(path) === path;
    } catch {
      return false;
    }
  };

  it('have no empty, "." or ".." part, and no backslash or control character', () => {
    const plain = (path: string) =>
      !/[\\\u0000-\u001f\u007f]/.test(path) && path.split('/').every((part) => !['', '.', '..'].includes(part));
    fc.assert(
      fc.property(likely, (path) => isPath(path) === plain(path)),
      { numRuns: 5000 },
    );
  });

  it('may be long, to a limit', () => {
    expect([isPath('a'.repeat(pathLengthMax)), isPath('a'.repeat(pathLengthMax + 1))]).toEqual([true, false]);
  });
});
