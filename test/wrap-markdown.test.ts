import { expect, test } from 'vitest';
import { wrapMarkdown } from '../scripts/wrap-markdown.ts';

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
  ['a table wider than a line', `Text.\n\n| a | b |\n|---|---:|\n| ${words(40)} | $& $1 |\n| x | y |\n\nMore.\n`],
  ['two tables, one of them in a list', `| a |\n|---|\n| ${words(40)} |\n\n- item\n\n  | b |\n  |---|\n  | ${words(40)} |\n`],
  ['code, and a table in it', `\`\`\`sh\n| not a table |\n${words(60)}\n\`\`\`\n`],
  ['an address longer than a line', `<https://example.org/${'x'.repeat(120)}>\n`],
  ['code within a line', `\`${words(40)}\`\n`],
  ['comments that benches and scripts look for', '<!-- bench a -->\n\ntext\n\n<!-- end a -->\n'],
])('%s stays as it is', async (_, document) => {
  expect(await wrapMarkdown(document)).toBe(document);
});

test('what was wrapped once stays as it is', async () => {
  const once = await wrapMarkdown(`${words(60)} \`code\` [link](https://example.org) *so* ${words(30)}\n\n1. ${words(60)}\n2. ${words(3)}\n`);
  expect(await wrapMarkdown(once)).toBe(once);
});
