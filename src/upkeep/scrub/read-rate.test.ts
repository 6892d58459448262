import { expect, test } from 'vitest';
import { ReadRate } from './read-rate.ts';

/** A clock that only pauses advance. */
function fakeClock() {
  const clock = { ms: 0, now: () => clock.ms, pause: async (ms: number) => void (clock.ms += ms) };
  return clock;
}

test('bytes take the time that the rate gives them, after one second that is given', async () => {
  const clock = fakeClock();
  const rate = new ReadRate(1000, clock);
  for (let i = 0; i < 100; i++) await rate.spend(100);
  expect(clock.ms).toBeCloseTo(9000, 3);
});

test('a stall is not made up for by more than a second', async () => {
  const clock = fakeClock();
  const rate = new ReadRate(1000, clock);
  await rate.spend(1000);
  clock.ms += 3600_000;
  const from = clock.ms;
  for (let i = 0; i < 50; i++) await rate.spend(100);
  expect(clock.ms - from).toBeCloseTo(4000, 3);
});

test('whoever waits is let go by the signal', async () => {
  await expect(new ReadRate(1).spend(1e9, AbortSignal.abort(new Error('stopping')))).rejects.toThrow();
});
