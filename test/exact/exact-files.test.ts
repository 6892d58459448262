import { expect, it } from 'vitest';
import { exactFiles } from './exact-files.ts';

it('any file stored exactly comes back byte for byte, and takes no more than itself and 4 KiB', { timeout: 180_000 }, async () => {
  const report = await exactFiles({ files: 250, seed: 7 });
  expect(report.problems).toEqual([]);
  expect(report.files).toBeGreaterThanOrEqual(250);
});
