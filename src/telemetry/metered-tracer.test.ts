import { expect, test } from 'vitest';
import { meteredTracer, type EndedSpan } from './metered-tracer.ts';
import { noTracer } from './tracer.ts';
import { tracedVerbs } from './traced-verbs.ts';

function counting() {
  const ended: EndedSpan[] = [];
  return { ended, tracer: meteredTracer(noTracer, (span) => ended.push(span)) };
}

test('a span is reported once when it ends, with all attributes, and passes the result on', async () => {
  const { ended, tracer } = counting();
  const result = await tracer.span('work', { attributes: { a: 1, b: 1 } }, async (span) => {
    await new Promise((resolve) => setTimeout(resolve, 15));
    expect(ended).toEqual([]);
    span.set({ b: 2, c: 3 });
    return 'result';
  });
  expect(result).toBe('result');
  expect(ended).toEqual([{ name: 'work', attributes: { a: 1, b: 2, c: 3 }, seconds: expect.any(Number) }]);
  expect(ended[0]!.seconds).toBeGreaterThan(0.01);
});

test('failed work is reported with its error, which passes unchanged', async () => {
  const { ended, tracer } = counting();
  const error = new Error('no');
  await expect(tracer.span('work', {}, () => Promise.reject(error))).rejects.toBe(error);
  expect(ended).toEqual([{ name: 'work', attributes: {}, seconds: expect.any(Number), failure: { error } }]);
});

test('verbs keep their arguments, results and failures, and are spans of their room', async () => {
  const { ended, tracer } = counting();
  const verbs = tracedVerbs(tracer, 'room', {
    add: async (a: number, b: number) => a + b,
    fail: () => Promise.reject(new Error('no')),
  });
  expect(await verbs.add(1, 2)).toBe(3);
  await expect(verbs.fail()).rejects.toThrow('no');
  expect(ended.map(({ name, failure }) => [name, failure !== undefined])).toEqual([
    ['room.add', false],
    ['room.fail', true],
  ]);
});
