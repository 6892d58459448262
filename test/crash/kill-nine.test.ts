import { expect, it } from 'vitest';
import { killNine } from './kill-nine.ts';

it('loses nothing it has acknowledged when it is killed three times', async () => {
  const report = await killNine({ rounds: 3, seed: 5 });
  expect(report.problems).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(3);
}, 180_000);
