import { FirnError } from '../../checkpoint/firn-error.ts';

/** Most requests that wait for a child; a search has at most its group of candidates waiting. */
const waitingMax = 1024;

/** An evaluation child as the pool sees it. */
export interface PooledChild {
  readonly alive: boolean;
  /** Resolves when the child is gone. */
  readonly exited: Promise<unknown>;
  /** The eval set it worked on last, which it still has loaded. */
  lastSet: string | undefined;
  memoryBytes(): Promise<number | undefined>;
  kill(): Promise<void>;
}

export interface ChildPoolOptions<Child extends PooledChild> {
  /** Most children at once. */
  readonly parallel: number;
  /** An idle child is ended after this. */
  readonly idleMs: number;
  /** A child that owns more than this when it becomes idle is ended at once. */
  readonly idleMemoryMaxBytes: number;
  readonly spawn: () => Child;
}

interface Waiter<Child> {
  grant(child: Child): void;
  refuse(error: FirnError): void;
}

/**
 * Pool of evaluation children. They are started when needed, stay loaded with their eval set while idle, and are lent
 * to one request at a time, first come first served.
 */
export class ChildPool<Child extends PooledChild> {
  readonly #options: ChildPoolOptions<Child>;
  readonly #all = new Set<Child>();
  readonly #idle = new Map<Child, NodeJS.Timeout>();
  readonly #waiting: Waiter<Child>[] = [];
  #closed = false;

  constructor(options: ChildPoolOptions<Child>) {
    this.#options = options;
  }

  /**
   * Lends a child to `use`, and takes it back in any case; a child that died is replaced when needed. Errors:
   * `overloaded` (too many wait already), `cancelled` (signal, or closed), `eval-crashed` (no process can be started),
   * and those of `use`.
   */
  async lend<T>(set: string, signal: AbortSignal | undefined, use: (child: Child) => Promise<T>): Promise<T> {
    const child = await this.#acquire(set, signal);
    try {
      return await use(child);
    } finally {
      child.lastSet = set;
      await this.#giveBack(child);
    }
  }

  /** Ends every child; requests that wait for one or use one are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#waiting.splice(0)) waiter.refuse(cancelled());
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    await Promise.all([...this.#all].map((child) => child.kill()));
  }

  async #acquire(set: string, signal: AbortSignal | undefined): Promise<Child> {
    if (this.#closed || signal?.aborted) throw cancelled();
    const free = this.#takeIdle(set) ?? this.#spawn();
    if (free !== undefined) return free;
    if (this.#waiting.length >= waitingMax) throw new FirnError('overloaded', 'Too many evaluations are waiting.');
    return new Promise((grant, refuse) => {
      const waiter: Waiter<Child> = {
        grant: (child) => {
          signal?.removeEventListener('abort', leave);
          grant(child);
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', leave);
          refuse(error);
        },
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        refuse(cancelled());
      };
      this.#waiting.push(waiter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** An idle child, preferably one that has the set loaded; another only if no further child may be started. */
  #takeIdle(set: string): Child | undefined {
    const idle = [...this.#idle.keys()].filter((child) => child.alive);
    const child =
      idle.find((each) => each.lastSet === set) ?? (this.#all.size < this.#options.parallel ? undefined : idle[0]);
    if (child === undefined) return undefined;
    clearTimeout(this.#idle.get(child));
    this.#idle.delete(child);
    return child;
  }

  #spawn(): Child | undefined {
    if (this.#all.size >= this.#options.parallel) return undefined;
    const child = this.#start();
    this.#all.add(child);
    void child.exited.then(() => this.#forget(child));
    return child;
  }

  #start(): Child {
    try {
      return this.#options.spawn();
    } catch (cause) {
      throw new FirnError('eval-crashed', 'An evaluation process could not be started.', { cause });
    }
  }

  async #giveBack(child: Child): Promise<void> {
    const memoryBytes = child.alive ? await child.memoryBytes() : undefined;
    if (this.#closed || !child.alive || memoryBytes === undefined || memoryBytes > this.#options.idleMemoryMaxBytes) {
      await child.kill();
      this.#forget(child);
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) return next.grant(child);
    this.#idle.set(child, setTimeout(() => this.#endIdle(child), this.#options.idleMs).unref());
  }

  /** From now on the child is not lent; it counts until its process is gone. */
  #endIdle(child: Child): void {
    this.#idle.delete(child);
    void child.kill();
  }

  /** Drops a child that is gone, which makes room, and starts one for the next request in line. */
  #forget(child: Child): void {
    clearTimeout(this.#idle.get(child));
    this.#idle.delete(child);
    if (!this.#all.delete(child) || this.#closed) return;
    const next = this.#waiting.shift();
    try {
      if (next !== undefined) next.grant(this.#spawn()!);
    } catch (error) {
      next!.refuse(error as FirnError);
    }
  }
}

function cancelled(): FirnError {
  return new FirnError('cancelled', 'The evaluation was cancelled.');
}
