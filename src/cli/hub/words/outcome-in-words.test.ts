import { expect, test } from 'vitest';
import { nextRows, outcomeInWords, whyRows } from './outcome-in-words.ts';

type Checkpoint = Parameters<typeof outcomeInWords>[0];

const checkpoint = (more: Partial<Checkpoint>): Checkpoint => ({
  ...{ run: 'train', step: 7, sequence: 1, state: 'queued', cancelRequested: false, createdAt: '', href: '' },
  ...more,
});
const result = {
  ...{ fidelity: 'exact', kind: 'base', rawBytes: 2000, storedBytes: 1000, warnings: [], understood: [] },
  seconds: { read: 1 },
} as unknown as NonNullable<Checkpoint['result']>;

test.each<[Partial<Checkpoint>, RegExp]>([
  [{}, /^queued$/],
  [{ waitsFor: { inWords: 'waits for step 6, which is being compressed' } }, /^queued, waits for step 6, which is/],
  [{ state: 'open' }, /^open: waits for files, and expires unless some arrive$/],
  [
    { state: 'open', expiresAt: '2026-01-02T03:04:05.678Z' },
    /^open: waits for files, and expires at 2026-01-02 03:04 UTC unless some arrive$/,
  ],
  [{ state: 'failed', error: { code: 'internal', message: 'It broke.' } }, /^failed: It broke\.$/],
  [{ state: 'ready', result }, /^exact base, .*, 2\.0x, 1\.0 s$/],
])('the outcome of %j in words', (more, said) => {
  expect(outcomeInWords(checkpoint(more))).toMatch(said);
});

test('a checkpoint says why it is exact if nothing bounds it, and only then', () => {
  expect(whyRows({ result })).toEqual([['why', expect.stringContaining('the run has no quality threshold')]]);
  expect(whyRows({ result, evalSet: 'held-out' })).toEqual([]);
  expect(whyRows({ result: { ...result, fidelity: 'lossy' } })).toEqual([]);
  expect(whyRows({})).toEqual([]);
});

test('an open step says how to go on, and one that failed how to try again', () => {
  const at = { namespace: 'me', name: 'gpt', run: 'train', step: 7 };
  const links = { trials: '', events: '' };
  expect(nextRows({ state: 'open', links }, at)).toEqual([
    ['go on', 'firn push me/gpt/train@7 PATH, or firn cancel me/gpt/train@7 to give it up'],
  ]);
  const retry = nextRows({ state: 'failed', links: { ...links, retry: '/retry' } }, at);
  expect(retry).toEqual([['try again', expect.stringMatching(/^firn retry me\/gpt\/train@7, with/)]]);
  expect(nextRows({ state: 'ready', links }, at)).toEqual([]);
});
