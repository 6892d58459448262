import { expect, test } from 'vitest';
import { cutUploads, givenEnvironment } from './cut-uploads.ts';

test('uploads cut at random bytes, some by a kill of the hub, go on where they were, and come out whole', { timeout: 600_000 }, async () => {
  const report = await cutUploads({ cuts: 25, seed: 3, environment: givenEnvironment(process.env) });
  expect(report.problems).toEqual([]);
  expect(report.cuts).toBe(25);
  expect(report.kills).toBeGreaterThan(0);
});
