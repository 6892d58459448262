import { expect, it } from 'vitest';
import { exactFiles } from './exact-files.ts';

it(
  'any file stored exactly comes back byte for byte, and a checkpoint takes no more than its files and 4 KiB',
  { timeout: 180_000 },
  async () => {
    const report = await exactFiles({ files: 500, seed: 7 });
    expect(report.problems).toEqual([]);
    expect(report.files).toBeGreaterThanOrEqual(500);
  },
);
