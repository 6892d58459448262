import { setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { ChildPool, type PooledChild } from './child-pool.ts';

class FakeChild implements PooledChild {
  alive = true;
  lastSet: string | undefined;
  ownedBytes = 1;
  readonly exited: Promise<void>;
  #exit!: () => void;

  readonly #dyingMs: number;

  /** @param dyingMs from kill to exit. */
  constructor(dyingMs = 0) {
    this.#dyingMs = dyingMs;
    this.exited = new Promise((resolve) => (this.#exit = resolve));
  }

  async memoryBytes(): Promise<number | undefined> {
    return this.alive ? this.ownedBytes : undefined;
  }

  async kill(): Promise<void> {
    if (this.#dyingMs > 0) await setTimeout(this.#dyingMs);
    this.alive = false;
    this.#exit();
    await this.exited;
  }
}

function poolOf(parallel: number, options: { spawn?: () => FakeChild; idleMs?: number } = {}) {
  const spawned: FakeChild[] = [];
  const spawn =
    options.spawn ??
    (() => {
      spawned.push(new FakeChild());
      return spawned.at(-1)!;
    });
  return {
    spawned,
    pool: new ChildPool<FakeChild>({ parallel, idleMs: options.idleMs ?? 60_000, idleMemoryMaxBytes: 100, spawn }),
  };
}

/** A use of a child that lasts until it is released. */
function held() {
  let release!: () => void;
  const until = new Promise<void>((resolve) => (release = resolve));
  return {
    release,
    use: async (child: FakeChild) => {
      await until;
      return child;
    },
  };
}

describe('ChildPool', () => {
  test('never lends more children than allowed; those who wait are served in order', async () => {
    const { pool, spawned } = poolOf(2);
    const first = held();
    const order: number[] = [];
    const uses = [1, 2, 3, 4].map((turn) =>
      pool.lend('s', undefined, async (child) => {
        order.push(turn);
        return first.use(child);
      }),
    );
    await vi.waitFor(() => expect(order).toEqual([1, 2]));
    first.release();
    await Promise.all(uses);
    expect([order, spawned.length]).toEqual([[1, 2, 3, 4], 2]);
    await pool.close();
  });

  test('an idle child that knows the set is preferred, and a new child to one with another set', async () => {
    const { pool, spawned } = poolOf(2);
    await pool.lend('a', undefined, async () => {});
    await pool.lend('b', undefined, async () => {});
    await pool.lend('a', undefined, async (child) => expect(child).toBe(spawned[0]));
    await pool.lend('b', undefined, async (child) => expect(child).toBe(spawned[1]));
    await pool.lend('c', undefined, async (child) => expect(spawned).toContain(child));
    expect(spawned.length).toBe(2);
    await pool.close();
  });

  test('a child that died in use is replaced, for the next and for one who waits already', async () => {
    const { pool, spawned } = poolOf(1);
    const dying = pool.lend('a', undefined, async (child) => child.kill());
    const waiting = pool.lend('a', undefined, async (child) => child);
    await dying;
    expect(await waiting).toBe(spawned[1]);
    expect(spawned[1]!.alive).toBe(true);
    await pool.close();
  });

  test('a child that comes back too large, or stays idle too long, is ended', async () => {
    const { pool, spawned } = poolOf(1, { idleMs: 5 });
    await pool.lend('a', undefined, async (child) => {
      child.ownedBytes = 101;
    });
    expect(spawned[0]!.alive).toBe(false);
    await pool.lend('a', undefined, async () => {});
    await spawned[1]!.exited;
    await pool.lend('a', undefined, async (child) => expect(child).toBe(spawned[2]));
    await pool.close();
  });

  test('a child that is being ended for idleness is lent to nobody, though it is not gone yet', async () => {
    const spawned: FakeChild[] = [];
    const { pool } = poolOf(1, { idleMs: 5, spawn: () => spawned[spawned.push(new FakeChild(50)) - 1]! });
    await pool.lend('a', undefined, async () => {});
    await setTimeout(20);
    expect(spawned[0]!.alive).toBe(true);
    await pool.lend('a', undefined, async (child) => expect(child).toBe(spawned[1]));
    await pool.close();
  });

  test('a waiting request leaves the line when aborted, and is refused when the pool closes', async () => {
    const { pool, spawned } = poolOf(1);
    const first = held();
    const running = pool.lend('a', undefined, first.use);
    const abort = new AbortController();
    const aborted = pool.lend('a', abort.signal, async () => {});
    const waiting = pool.lend('a', undefined, async () => {});
    const results = Promise.allSettled([aborted, waiting]);
    abort.abort();
    await pool.close();
    first.release();
    await running;
    expect(await results).toMatchObject([
      { status: 'rejected', reason: { code: 'cancelled' } },
      { status: 'rejected', reason: { code: 'cancelled' } },
    ]);
    await expect(pool.lend('a', undefined, async () => {})).rejects.toMatchObject({ code: 'cancelled' });
    expect(spawned.map((child) => child.alive)).toEqual([false]);
  });

  test('a refused request that is aborted later removes no other from the line', async () => {
    const spawned: FakeChild[] = [];
    const { pool } = poolOf(1, {
      spawn: () => {
        if (spawned.push(new FakeChild()) === 2) throw new Error('EAGAIN');
        return spawned.at(-1)!;
      },
    });
    const [first, second] = [held(), held()];
    const running = pool.lend('a', undefined, first.use);
    const abort = new AbortController();
    const refused = pool.lend('a', abort.signal, async () => {});
    await spawned[0]!.kill();
    await expect(refused).rejects.toMatchObject({ code: 'eval-crashed' });
    first.release();
    await running;
    const busy = pool.lend('a', undefined, second.use);
    const waiting = pool.lend('a', undefined, async () => 'served');
    abort.abort();
    second.release();
    await busy;
    expect(await waiting).toBe('served');
    await pool.close();
  });

  test('a child that cannot be started refuses its borrower and leaves the pool usable', async () => {
    let failures = 1;
    const { pool } = poolOf(1, {
      spawn: () => {
        if (failures-- > 0) throw new Error('EAGAIN');
        return new FakeChild();
      },
    });
    await expect(pool.lend('a', undefined, async () => {})).rejects.toMatchObject({ code: 'eval-crashed' });
    await pool.lend('a', undefined, async () => {});
    await pool.close();
  });
});
