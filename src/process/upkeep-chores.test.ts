import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Logger } from 'pino';
import { startUpkeep, type UpkeepParts } from './upkeep-chores.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A catalog that notes what it is asked, and does nothing but two of its chores. */
function quietCatalog(asked: string[]): UpkeepParts['catalog'] {
  const group = (name: string): unknown =>
    new Proxy(() => undefined, {
      get: (_, method) => group(`${name}.${String(method)}`),
      apply: async () => {
        asked.push(name);
        if (name !== 'catalog.checkpoints.staleOpen' && name !== 'catalog.tidy') throw new Error('not here');
        return [];
      },
    });
  return group('catalog') as UpkeepParts['catalog'];
}

test('reservations and uploads are given up within a minute of their time; what reads much is looked at less often', async () => {
  const asked: string[] = [];
  const catalog = quietCatalog(asked);
  const ingest = { catalog, now: async () => new Date(), limits: { reservationTtlMs: 1000, uploadTtlMs: 1000 } };
  const upkeep = startUpkeep({
    catalog,
    ingest,
    store: {},
    log: { info: () => undefined, error: () => undefined } as unknown as Logger,
    workDirectory: '/nonexistent',
    ofHub: true,
    alone: true,
    gcGraceMs: 1000,
    onExpired: () => undefined,
    scrub: { catalog, store: {} },
  } as unknown as UpkeepParts);
  const times = (name: string): number => asked.filter((each) => each === name).length;
  // A round reads a folder, which takes real time: whoever advances the clock waits for its end.
  const tidied = (rounds: number) => vi.waitFor(() => expect(times('catalog.tidy')).toBe(rounds), { timeout: 10_000 });
  await tidied(1);
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(times('catalog.checkpoints.staleOpen')).toBeGreaterThanOrEqual(5);
  expect(times('catalog.tidy')).toBe(1);
  await vi.advanceTimersByTimeAsync(6 * 60_000);
  await tidied(2);
  await upkeep.stop(0);
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(20 * 60_000);
  expect(asked).toHaveLength(before);
});
