import { describe, expect, it } from 'vitest';
import { PaceCheck } from './body-pace.ts';

/** Chunks as [bytes, ms that the server waited for them]. */
type Chunks = readonly (readonly [number, number])[];
const repeated = (times: number, bytes: number, waitedMs: number): Chunks =>
  Array.from({ length: times }, () => [bytes, waitedMs] as const);

function take(chunks: Chunks): string {
  const reservation = new PaceCheck({ bytesPerSecondMin: 100, windowMs: 10_000 });
  for (const [at, [bytes, waitedMs]] of chunks.entries()) {
    try {
      reservation.add(bytes, waitedMs);
    } catch (err) {
      return `${(err as { code: string }).code} at ${at}`;
    }
  }
  return 'taken';
}

describe('a body', () => {
  it.each<[string, Chunks, string]>([
    ['one byte a second is given up at the end of the window', repeated(60, 1, 1000), 'body-too-slow at 9'],
    ['just the least rate is taken', repeated(600, 100, 1000), 'taken'],
    ['a little less is not', repeated(600, 99, 1000), 'body-too-slow at 9'],
    ['a short one may be slow', repeated(9, 1, 1000), 'taken'],
    ['a pause inside a window is made up for', [...repeated(5, 10, 1), [1, 9000], ...repeated(5, 300, 200)], 'taken'],
    [
      'a fast beginning does not pay for a slow end',
      [[10 ** 9, 10_000], ...repeated(60, 1, 1000)],
      'body-too-slow at 10',
    ],
    ['what the server did not wait for is not judged', repeated(10 ** 4, 1, 0), 'taken'],
  ])('%s', (_, chunks, outcome) => expect(take(chunks)).toBe(outcome));

  it('may be as slow as it likes where no rate is asked for', () => {
    const reservation = new PaceCheck({ bytesPerSecondMin: 0, windowMs: 10 });
    expect(() =>
      repeated(100, 1, 10_000).forEach(([bytes, waitedMs]) => reservation.add(bytes, waitedMs)),
    ).not.toThrow();
  });
});
