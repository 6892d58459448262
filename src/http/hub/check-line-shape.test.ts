import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLineShape } from './check-line-shape.ts';
import { file, header, lfsFile } from './hub-client.test-support.ts';

const check = (text: string): void => checkLineShape(Buffer.from(text));
const refusal = expect.objectContaining({ code: 'invalid-request' });

describe('the shape of a line', () => {
  it.each([
    ['a header', JSON.stringify(header('step 1', { parentCommit: 'a'.repeat(40) }))],
    ['a file', JSON.stringify(file('a/b', 'text'))],
    ['a large file', JSON.stringify(lfsFile('a/b', Buffer.from('x')))],
    ['brackets, commas and quotes in a string', JSON.stringify({ key: '[{,"\\'.repeat(100), value: '\\"' })],
    ['what is no JSON at all, which the parser refuses', 'text ]]]] "'],
    ['nothing', ''],
  ])('may be that of %s', (_, line) => expect(() => check(line)).not.toThrow());

  it.each([
    ['deep lists', '['.repeat(5)],
    ['deep objects', '{"a":'.repeat(5)],
    ['many empty objects', `[${'{},'.repeat(40)}{}]`],
    ['many members', JSON.stringify(Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`key ${i}`, i])))],
    ['many numbers', JSON.stringify(Array.from({ length: 80 }, () => 1))],
    ['many lists behind a string with an escaped quote at its end', `{"a":"\\\\","b":[${'[],'.repeat(64)}]}`],
  ])('is refused for %s', (_, line) => expect(() => check(line)).toThrow(refusal));

  it('counts as the parser does, whatever is in the strings', () => {
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, each) => sum + count(each), 0) + Object.keys(value).length
        : 0;
    const tree = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' });
    fc.assert(
      fc.property(tree, fc.boolean(), (value, isSpaced) => {
        const line = JSON.stringify(value, null, isSpaced ? 1 : 0);
        const few = count(value) <= 30;
        if (few) expect(() => check(line)).not.toThrow();
        if (count(value) > 65) expect(() => check(line)).toThrow(refusal);
      }),
    );
  });
});
