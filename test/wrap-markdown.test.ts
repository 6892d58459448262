import { expect, test } from 'vitest';
import { longLines } from '../scripts/wrap/long-lines.ts';
import { wrapMarkdown } from '../scripts/wrap/wrap-markdown.ts';

const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');
const longest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

test('prose is wrapped at 100 columns, in lists and quotations too', async () => {
  const wrapped = await wrapMarkdown(`# Title\n\n${words(60)}\n\n- ${words(60)}\n\n> ${words(60)}\n`);
  expect(longest(wrapped)).toBeLessThanOrEqual(100);
  expect(wrapped.match(/word/g)).toHaveLength(180);
});

test('short lines of a paragraph are joined', async () => {
  expect(await wrapMarkdown('one\ntwo\n')).toBe('one two\n');
});

test.each([
  ['a table that fits', `Text.\n\n| a | b |\n|---|---:|\n| x   | $& $1 |\n| x | y |\n\nMore.\n`],
  ['two tables, one of them in a list', `| a |\n|---|\n| x |\n\n- item\n\n  | b |\n  |---|\n  | x |\n`],
  ['prose that begins with a bar', `|x| is the magnitude of x, and\n`.replace(', and', '.')],
  ['code, and a table in it', `\`\`\`sh\n| not a table |\n${words(60)}\n\`\`\`\n`],
  ['an address longer than a line', `<https://example.org/${'x'.repeat(120)}>\n`],
  ['code within a line', `\`${words(40)}\`\n`],
  ['comments that benches and scripts look for', '<!-- bench a -->\n\ntext\n\n<!-- end a -->\n'],
])('%s stays as it is', async (_, document) => {
  expect(await wrapMarkdown(document)).toBe(document);
});

test('what was wrapped once stays as it is', async () => {
  const once = await wrapMarkdown(
    `${words(60)} \`code\` [link](https://example.org) *so* ${words(30)}\n\n1. ${words(60)}\n2. ${words(3)}\n`,
  );
  expect(await wrapMarkdown(once)).toBe(once);
});

const figures = (columns: number): string => Array.from({ length: columns }, () => '1234567').join(' | ');
const rule = (columns: number): string => Array.from({ length: columns }, () => '---:').join(' | ');

test('a wide table of figures becomes several, each with the names of the rows', async () => {
  const wrapped = await wrapMarkdown(
    `| name | ${figures(14)} |\n| --- | ${rule(14)} |\n| first | ${figures(14)} |\n| second | ${figures(14)} |\n`,
  );
  expect(longest(wrapped)).toBeLessThanOrEqual(100);
  expect(wrapped.match(/\| first \|/g)).toHaveLength(2);
  expect(wrapped.match(/1234567/g)).toHaveLength(3 * 14);
});

test('rows with long names get numbers, and a list says what they are; an empty name is that above', async () => {
  const name = words(10);
  const wrapped = await wrapMarkdown(
    `| name | bound | ${figures(12)} |\n| --- | --- | ${rule(12)} |\n| ${name} | one | ` +
      `${figures(12)} |\n| | two | ${figures(12)} |\n`,
  );
  expect(longest(wrapped)).toBeLessThanOrEqual(100);
  expect(wrapped).toContain(`1. ${name}, one\n2. ${name}, two\n`);
  expect(wrapped).toMatch(/^\| 2 \| 1234567 /m);
});

test('a wide table of sentences becomes a list, with bars that were escaped', async () => {
  const wrapped = await wrapMarkdown(
    `| what | how \\| when |\n| --- | --- |\n| a | ${words(40)} \\| end |\n\n| what | how | when ` +
      `|\n| --- | --- | --- |\n| b | ${words(40)} | |\n`,
  );
  expect(longest(wrapped)).toBeLessThanOrEqual(100);
  expect(wrapped).toContain('- a: word');
  expect(wrapped).toContain('word | end');
  expect(wrapped).toContain('- b\n  - how: word');
  expect(wrapped).not.toContain('when');
});

test.each([
  ['a command in a block', `\`\`\`sh\n${words(30)}\n\`\`\`\n`, 1],
  ['code within a line', `\`${words(30)}\`\n`, 1],
  [
    'an address alone, also in a list',
    `https://example.org/${'x'.repeat(120)}\n- <https://example.org/${'x'.repeat(120)}>\n`,
    0,
  ],
  ['a hundred columns', `${'x'.repeat(49)} ${'x'.repeat(50)}\n`, 0],
])('what is longer than a line is named: %s', (_, document, count) => {
  expect(longLines(document)).toHaveLength(count);
});
