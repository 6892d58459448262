import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseEvents, type ServerEvent } from './follow/parse-events.ts';
import { problemOf } from './firn-problem.ts';
import { placeIn } from './pull/pull-checkpoint.ts';
import { parsePieces } from './pull/part-file.ts';
import { formatTarget, parseTarget } from './target.ts';
import { mayCarryToken } from './token-rule.ts';

async function eventsOf(...pieces: string[]): Promise<ServerEvent[]> {
  async function* stream() {
    yield* pieces;
  }
  const events: ServerEvent[] = [];
  for await (const event of parseEvents(stream())) events.push(event);
  return events;
}

test.each([
  ['me/gpt', { namespace: 'me', name: 'gpt' }],
  ['me/gpt/train', { namespace: 'me', name: 'gpt', run: 'train' }],
  ['me/gpt/train@900', { namespace: 'me', name: 'gpt', run: 'train', step: 900 }],
  ['me/gpt/train@latest', { namespace: 'me', name: 'gpt', run: 'train', step: 'latest' }],
])('%s is understood, and written the same', (text, target) => {
  expect(parseTarget(text)).toEqual(target);
  expect(formatTarget(target as never)).toBe(text);
});

test.each([
  '',
  'me',
  'me/',
  '/me',
  'me/gpt@9',
  'me/gpt/train@',
  'me/gpt/train@-1',
  'me/gpt/a/b',
  '../x/y',
  'a/b/c@1@2',
])('"%s" is refused with an example', (text) => {
  expect(() => parseTarget(text)).toThrow(/such as me\/tiny-gpt\/train@900/);
});

test('any text is a target that is written the same, or is refused with a sentence', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 500 }), (text) => {
      try {
        expect(formatTarget(parseTarget(text))).toBe(text);
      } catch (error) {
        expect((error as Error).message).toMatch(/names nothing/);
      }
    }),
  );
});

test('events are the same however the stream is cut, and comments are left out', async () => {
  const text = ': quiet\n\nid: 2\r\nevent: trial\r\ndata: {"a":\r\ndata: 1}\r\n\r\nevent: phase\ndata: x: y\n\n';
  const whole = await eventsOf(text);
  expect(whole).toEqual([
    { type: 'trial', data: '{"a":\n1}', id: '2' },
    { type: 'phase', data: 'x: y', id: '2' },
  ]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: text.length })), async (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), text.length];
      expect(await eventsOf(...at.slice(1).map((end, i) => text.slice(at[i], end)))).toEqual(whole);
    }),
  );
});

test('an event without end is refused', async () => {
  const piece = `data: ${'x'.repeat(1024 * 1024)}\n`;
  await expect(eventsOf(piece, piece, piece, piece, piece)).rejects.toThrow(/no end/);
});

test('of a record of pieces only whole lines with numbers of the file count', () => {
  expect([...parsePieces(['0', '2', 'x', '7', '1'], 5)]).toEqual([0, 2]);
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.nat({ max: 50 }), (text, count) => {
      for (const piece of parsePieces(text.split('\n'), count)) expect(piece).toBeLessThan(count);
    }),
  );
});

test('no path of a server leads out of the folder', () => {
  expect(placeIn('/out', 'a/b.bin')).toBe('/out/a/b.bin');
  for (const path of ['', '/etc/passwd', '../x', 'a/../../x', 'a\\b', 'a\0'])
    expect(() => placeIn('/out', path)).toThrow();
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (path) => {
      try {
        expect(placeIn('/out', path).startsWith('/out')).toBe(true);
      } catch (error) {
        expect((error as Error).message).toMatch(/no path of a checkpoint/);
      }
    }),
  );
});

test('any answer outside 2xx becomes a problem', () => {
  expect(problemOf(404, '{"code":"not-found","detail":"There is none."}')).toMatchObject({
    code: 'not-found',
    message: 'There is none.',
  });
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
      expect(problemOf(502, body).message.length).toBeGreaterThanOrEqual(0);
      expect(typeof problemOf(502, body).code).toBe('string');
    }),
  );
});

test.each([
  ['https://hub.example', true],
  ['http://127.0.0.1:8080', true],
  ['http://[::1]:8080', true],
  ['http://localhost', true],
  ['http://hub.example', false],
  ['http://127.0.0.1.example', false],
  ['http://10.0.0.1', false],
])('a token may be sent to %s: %s', (url, may) => {
  expect(mayCarryToken(new URL(url))).toBe(may);
});
