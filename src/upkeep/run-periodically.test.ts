import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runPeriodically } from './run-periodically.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const unexpected = (error: unknown): never => {
  throw error;
};

test('runs at once, and again a pause after each end, never two at a time', async () => {
  let runs = 0;
  let end = (): void => undefined;
  const periodic = runPeriodically(
    () => {
      runs += 1;
      return new Promise((resolve) => {
        end = resolve;
      });
    },
    { pauseMs: 100, onError: unexpected },
  );
  expect(runs).toBe(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(runs).toBe(1);
  end();
  await vi.advanceTimersByTimeAsync(99);
  expect(runs).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(runs).toBe(2);
  end();
  await periodic.stop(0);
  await vi.advanceTimersByTimeAsync(1000);
  expect(runs).toBe(2);
});

test('a failure is told and the next run comes all the same, thrown or rejected', async () => {
  const told: unknown[] = [];
  let runs = 0;
  const periodic = runPeriodically(
    () => {
      runs += 1;
      if (runs === 1) throw new Error('thrown');
      return Promise.reject(new Error('rejected'));
    },
    {
      pauseMs: 100,
      onError: (error) => {
        told.push(error);
      },
    },
  );
  await vi.advanceTimersByTimeAsync(100);
  expect(told).toEqual([new Error('thrown'), new Error('rejected')]);
  await periodic.stop(0);
});

test('stopping tells the run under way, waits for it, and does not report what it throws then', async () => {
  let ended = false;
  const periodic = runPeriodically(
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          setTimeout(() => {
            ended = true;
            reject(signal.reason as Error);
          }, 50);
        });
      }),
    { pauseMs: 100, onError: unexpected },
  );
  const stopped = periodic.stop(1000).then(() => ended);
  await vi.advanceTimersByTimeAsync(50);
  expect(await stopped).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('one that does not heed the signal is waited for until the deadline', async () => {
  const periodic = runPeriodically(() => new Promise(() => undefined), { pauseMs: 100, onError: unexpected });
  let stopped = false;
  void periodic.stop(300).then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(299);
  expect(stopped).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(stopped).toBe(true);
});
