import { expect, test } from 'vitest';
import { measureSpeed } from './measured-speed.ts';

function counted(count: number) {
  const runs = new Array<number>(count).fill(0);
  const work = runs.map((_, i) => ({ rawBytes: 1000, run: () => void (runs[i]! += 1) }));
  return { runs, work };
}

test('work that takes far longer than there is time for runs one piece, the last, in five rounds', async () => {
  const { runs, work } = counted(4);
  const { rounds } = await measureSpeed(work, { seconds: 0.001, expectedSeconds: 100 });
  expect(rounds).toBe(5);
  expect(runs).toEqual([0, 0, 0, 5]);
});

test('work beside runs the same pieces as often, and its processor time is held against the other', async () => {
  const some = counted(4);
  const spinning = some.runs.map((_, i) => ({ rawBytes: 1000, run: () => spin(1 + i) }));
  const { besideShareByProcessor } = await measureSpeed(some.work, {
    seconds: 0.001,
    expectedSeconds: 100,
    beside: spinning,
  });
  expect(some.runs).toEqual([0, 0, 0, 5]);
  expect(besideShareByProcessor).toBeGreaterThan(1);
});

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('quick work runs whole and is repeated until a round takes its fifth of the time', async () => {
  const { runs, work } = counted(3);
  const { rounds, gigabytesPerSecond, memcpyShare } = await measureSpeed(work, {
    seconds: 0.01,
    expectedSeconds: 0.0001,
  });
  expect(runs).toEqual([20 * rounds, 20 * rounds, 20 * rounds]);
  expect(gigabytesPerSecond).toBeGreaterThan(0);
  expect(memcpyShare).toBeGreaterThan(0);
});
