import { expect, test } from 'vitest';
import { replaceSection } from './write-section.ts';

test('a section is added once and replaced from then on, whatever stands around it', () => {
  const first = replaceSection('# Title\n', 'a', 'one');
  expect(first).toBe('# Title\n\n<!-- bench a -->\n\none\n\n<!-- end a -->\n');
  const both = replaceSection(`${first}\nMore.\n`, 'ab', 'other');
  const again = replaceSection(both, 'a', 'two\n');
  expect(again).toBe(both.replace('one', 'two'));
  expect(replaceSection(again, 'a', 'two')).toBe(again);
});

test('a start without an end is refused', () => {
  expect(() => replaceSection('<!-- bench a -->', 'a', 'x')).toThrow('never ends');
});
