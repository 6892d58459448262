import { FirnError } from '../../checkpoint/firn-error.ts';

/** What a pool needs of a connection. */
export interface PooledSession {
  readonly lost: boolean;
  readonly openedAtMs: number;
  /** Whether the server answers within so many ms; one that does not is lost. Never rejects. */
  answers(withinMs: number): Promise<boolean>;
  end(): Promise<void>;
}

export interface SessionPoolOptions<Session> {
  /** Not connected yet; the first statement does it. */
  readonly open: () => Session;
  readonly sessionsMax: number;
  /** Longest wait for a free session, in ms. */
  readonly waitMs: number;
}

/** Those who wait for a session; more are refused at once. */
const waitersMax = 2048;
/** A session that nobody asked for this long is closed, in ms: a quiet process holds none. */
const idleMs = 5 * 60 * 1000;
/**
 * An older one is closed when it is given back, in ms, so that what a server keeps for it, and where a name led to, do
 * not stay for ever.
 */
const lifetimeMs = 30 * 60 * 1000;
/**
 * One that was idle this long is asked before it is used, in ms: the way to the server may have broken meanwhile
 * without a word, and a statement would wait for its whole limit.
 */
const checkAfterMs = 1_000;
/** Longest wait for that answer, in ms. */
const checkMs = 5_000;
/** How often idle ones are looked for, in ms. */
const idleCheckMs = 30_000;
/** Longest wait at the close for sessions in use, in ms. */
const closeMs = 5_000;

interface IdleSession<Session> {
  readonly session: Session;
  readonly sinceMs: number;
}

interface Waiter<Session> {
  readonly take: (session: Session) => void;
  readonly refuse: (error: FirnError) => void;
}

/**
 * At most `sessionsMax` connections, each used by one at a time, in the order of asking. Lost ones are replaced, so
 * that a server that went away and came back is used again without more ado. Rejects with `overloaded` when none is
 * free in time, `internal` once closed.
 */
export class SessionPool<Session extends PooledSession> {
  readonly #options: SessionPoolOptions<Session>;
  /** Latest used last. */
  readonly #idle: IdleSession<Session>[] = [];
  readonly #waiting: Waiter<Session>[] = [];
  readonly #busy = new Set<Session>();
  readonly #idleCheck: NodeJS.Timeout;
  #closed: Promise<void> | undefined;
  #emptied = (): void => undefined;

  constructor(options: SessionPoolOptions<Session>) {
    this.#options = options;
    this.#idleCheck = setInterval(() => this.#endIdle(performance.now() - idleMs), idleCheckMs).unref();
  }

  /** Runs `work` with a session of its own. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#acquire();
    try {
      return await work(session);
    } finally {
      this.#release(session);
    }
  }

  /** Sessions in use, and those who wait for one. */
  stats(): { readonly inUse: number; readonly waiting: number; readonly max: number } {
    return { inUse: this.#busy.size, waiting: this.#waiting.length, max: this.#options.sessionsMax };
  }

  /** Refuses new users, waits a little for those there are, and ends every connection. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #acquire(): Promise<Session> {
    if (this.#closed !== undefined) throw new FirnError('internal', 'The catalog is closed.');
    const idle = this.#takeIdle();
    const free = idle?.session ?? (this.#busy.size < this.#options.sessionsMax ? this.#options.open() : undefined);
    if (free !== undefined) {
      this.#busy.add(free);
      return idle === undefined || performance.now() - idle.sinceMs < checkAfterMs
        ? free
        : this.#checked(free, idle.sinceMs);
    }
    if (this.#waiting.length >= waitersMax) throw tooBusy('too many wait for a connection');
    return this.#queue();
  }

  /** An idle session that still answers, or a new one in its place. What was idle as long is taken for lost with it. */
  async #checked(session: Session, sinceMs: number): Promise<Session> {
    if (await session.answers(checkMs)) return session;
    this.#busy.delete(session);
    end(session);
    this.#endIdle(sinceMs + 1);
    const replacement = this.#options.open();
    this.#busy.add(replacement);
    return replacement;
  }

  #queue(): Promise<Session> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(tooBusy(`no connection was free within ${this.#options.waitMs} ms`));
      }, this.#options.waitMs);
      const waiter: Waiter<Session> = {
        take(session) {
          clearTimeout(late);
          resolve(session);
        },
        refuse(error) {
          clearTimeout(late);
          reject(error);
        },
      };
      this.#waiting.push(waiter);
    });
  }

  #takeIdle(): IdleSession<Session> | undefined {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (!last.session.lost) return last;
      end(last.session);
    }
    return undefined;
  }

  #release(session: Session): void {
    this.#busy.delete(session);
    const usable = !session.lost && performance.now() - session.openedAtMs < lifetimeMs && this.#closed === undefined;
    if (!usable) end(session);
    const next = this.#waiting.shift();
    if (next !== undefined) {
      const given = usable ? session : this.#options.open();
      this.#busy.add(given);
      next.take(given);
    } else if (usable) {
      this.#idle.push({ session, sinceMs: performance.now() });
    }
    if (this.#busy.size === 0) this.#emptied();
  }

  #endIdle(before: number): void {
    while (this.#idle[0] !== undefined && this.#idle[0].sinceMs < before) end(this.#idle.shift()!.session);
  }

  async #close(): Promise<void> {
    clearInterval(this.#idleCheck);
    for (const { refuse } of this.#waiting.splice(0)) refuse(new FirnError('internal', 'The catalog is closed.'));
    const idle = this.#idle.splice(0).map(({ session }) => session.end());
    if (this.#busy.size > 0) {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, closeMs);
        this.#emptied = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
    await Promise.allSettled([...idle, ...[...this.#busy].map((session) => session.end())]);
  }
}

function end(session: PooledSession): void {
  void session.end().catch(() => undefined);
}

function tooBusy(detail: string): FirnError {
  return new FirnError('overloaded', 'The catalog is busy or out of reach; try again.', { detail });
}
