import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SessionPool, type PooledSession } from './session-pool.ts';

/** Sessions that answer, or hang like those of a half-open connection until they are given up. */
class FakeSession implements PooledSession {
  lost = false;
  ended = false;
  readonly openedAtMs = performance.now();
  readonly network: { isOpen: boolean };
  constructor(network: { isOpen: boolean }) {
    this.network = network;
  }
  async answers(withinMs: number): Promise<boolean> {
    if (this.network.isOpen) return true;
    await new Promise((resolve) => setTimeout(resolve, withinMs));
    this.lost = true;
    return false;
  }
  async end(): Promise<void> {
    this.ended = true;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('after an idle time connections are tested first, and half-open ones are all closed at once', async () => {
  const network = { isOpen: true };
  const opened: FakeSession[] = [];
  const open = () => {
    const session = new FakeSession(network);
    opened.push(session);
    return session;
  };
  const pool = new SessionPool({ open, sessionsMax: 8, waitMs: 10_000 });
  await Promise.all(Array.from({ length: 5 }, () => pool.use((session) => session.answers(1))));
  expect(opened).toHaveLength(5);
  await vi.advanceTimersByTimeAsync(60_000);
  const before = [...opened];
  expect(await pool.use(async (session) => before.includes(session))).toBe(true);

  await vi.advanceTimersByTimeAsync(60_000);
  network.isOpen = false;
  const startedMs = performance.now();
  const used = pool.use(async (session) => {
    network.isOpen = true;
    return { session, waitedMs: performance.now() - startedMs };
  });
  await vi.advanceTimersByTimeAsync(60_000);
  const { session, waitedMs } = await used;
  expect(before).not.toContain(session);
  expect(waitedMs).toBeLessThanOrEqual(5_000);
  expect(before.every(({ ended }) => ended)).toBe(true);
  expect(pool.stats().inUse).toBe(0);
  await pool.close();
});

test('a busy pool asks nothing first', async () => {
  const network = { isOpen: true };
  const answers = vi.spyOn(FakeSession.prototype, 'answers');
  const pool = new SessionPool({ open: () => new FakeSession(network), sessionsMax: 1, waitMs: 10_000 });
  for (let request = 0; request < 10; request++) {
    await pool.use(async () => undefined);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(answers).not.toHaveBeenCalled();
  await pool.close();
});
