import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchWildcards } from './match-wildcards.ts';

test.each([
  ['m_*', 'm_layer.weight', ['layer.weight']],
  ['m_*', 'm_', ['']],
  ['exp_avg/*', 'exp_avg/w', ['w']],
  ['*.mu.*', 'opt.mu.a.mu.b', ['opt', 'a.mu.b']],
  ['**', 'ab', ['', 'ab']],
  ['opt.first.w', 'opt.first.w', []],
])('%s is of %s', (pattern, name, found) => {
  expect(matchWildcards(pattern, name)).toEqual(found);
});

test.each([
  ['m_*', 'em_w'],
  ['exp_avg/*', 'exp_avg_sq/w'],
  ['*_m', 'w_m_'],
  ['ab*ba', 'aba'],
  ['*a*a*', 'ba'],
  ['(.*)+', 'x'],
  ['opt.first', 'opt.first.w'],
  ['', 'w'],
])('%s is not of %s', (pattern, name) => {
  expect(matchWildcards(pattern, name)).toBeUndefined();
});

test('agrees with a regular expression, and the texts found rebuild the name', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 12 });
  fc.assert(
    fc.property(text, name, (pattern, whole) => {
      const parts = pattern.split('*');
      const found = matchWildcards(pattern, whole);
      expect(found !== undefined).toBe(
        new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('.*')}$`).test(whole),
      );
      if (found !== undefined) expect(parts.map((part, i) => part + (found[i] ?? '')).join('')).toBe(whole);
    }),
    { numRuns: 2000 },
  );
});

test('the longest pattern of many wildcards takes no time on a long name that it nearly is of', () => {
  const startedMs = performance.now();
  for (let i = 0; i < 1000; i++)
    expect(matchWildcards(`${'*a'.repeat(127)}*b`, `${'a'.repeat(1023)}c`)).toBeUndefined();
  for (let i = 0; i < 1000; i++) expect(matchWildcards(`${'*a'.repeat(126)}*b*`, 'a'.repeat(1024))).toBeUndefined();
  expect(performance.now() - startedMs).toBeLessThan(2000);
});
