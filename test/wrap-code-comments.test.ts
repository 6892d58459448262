import { expect, test } from 'vitest';
import { wrapComments } from '../scripts/wrap/wrap-code-comments.ts';

const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');
const longest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

test.each([
  ['a line', `  // ${words(40)}\n  f();\n`],
  ['lines that follow each other', `// ${words(10)}\n// ${words(40)}\nf();\n`],
  ['a block on one line', `/** ${words(40)} */\nexport const a = 1;\n`],
  ['a block of several lines', `/**\n * ${words(40)}\n *\n * ${words(3)}\n */\nexport const a = 1;\n`],
  ['a block that begins with its text', `/** ${words(40)}\n * ${words(5)}\n */\nf();\n`],
])('%s is wrapped at 120 columns, no word is lost, and twice is once', (_, source) => {
  const wrapped = wrapComments(source);
  expect(longest(wrapped)).toBeLessThanOrEqual(120);
  expect(wrapped.match(/word/g)).toHaveLength(source.match(/word/g)!.length);
  expect(wrapped.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').trim()).toBe(
    source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').trim(),
  );
  expect(wrapComments(wrapped)).toBe(wrapped);
});

test('a block becomes one of several lines; its paragraphs that fit stay', () => {
  const source = `/** ${words(30)}\n *\n * short\n * lines\n */\nf();\n`;
  expect(wrapComments(source)).toBe(`/**\n * ${words(23)}\n * ${words(7)}\n *\n * short\n * lines\n */\nf();\n`);
});

test('items and tags begin anew; an item hangs below its mark', () => {
  const source = `// - ${words(30)}\n// - ${words(3)}\nf();\n/**\n * @param a ${words(30)}\n * @returns b\n */\nf();\n`;
  const wrapped = wrapComments(source);
  expect(wrapped).toContain(`\n//   ${words(7)}\n// - ${words(3)}\n`);
  expect(wrapped).toContain('\n * @returns b\n');
  expect(longest(wrapped)).toBeLessThanOrEqual(120);
});

test('links and code are not broken', () => {
  const wrapped = wrapComments(
    `// ${words(22)} {@link some thing with words} \`code of many words\` ${words(20)}\nf();\n`,
  );
  expect(wrapped).toMatch(/\{@link some thing with words\}/);
  expect(wrapped).toMatch(/`code of many words`/);
});

test.each([
  ['a directive', `// eslint-disable-next-line no-restricted-syntax -- ${words(30)}\nf();\n`],
  ['a directive in a block', `/* eslint-disable no-restricted-syntax -- ${words(30)} */\nf();\n`],
  ['an address', `// https://example.org/${'x'.repeat(120)}\nf();\n`],
  ['a table', `/**\n * | ${words(30)} |\n * | --- |\n */\nf();\n`],
  ['a code sample', `/**\n * \`\`\`\n * ${words(30)}\n * \`\`\`\n */\nf();\n`],
  ['what is set in by hand', `//     ${words(30)}\nf();\n`],
  ['a comment behind code', `f(); // ${words(30)}\n`],
  ['text of a template', `const a = \`\n// ${words(40)}\n/** ${words(40)} */\n\`;\nexport { a };\n`],
  ['what fits', `// ${words(20)}\n// short\nf();\n`],
])('%s stays as it is', (_, source) => {
  expect(wrapComments(source)).toBe(source);
});
