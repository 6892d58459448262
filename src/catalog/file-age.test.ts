import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fileAgeMs } from './file-age.ts';

test('the age of a file follows the clock of the file system, not that of this process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-age-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'file');
  expect(fileAgeMs(path)).toBe(Number.POSITIVE_INFINITY);
  writeFileSync(path, '');
  const hourAgo = new Date(Date.now() - 3_600_000);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(fileAgeMs(path)).toBeLessThan(60_000);
  utimesSync(path, hourAgo, hourAgo);
  expect(Math.round(fileAgeMs(path) / 60_000)).toBe(60);
  expect(readdirSync(folder)).toEqual(['file']);
});
