import { FirnError } from '../../checkpoint/firn-error.ts';

/** The methods of a connection that the pool needs. */
export interface PooledSession {
  readonly lost: boolean;
  readonly openedAtMs: number;
  /** Whether the server answers within `withinMs`; if not, the session is lost. Never rejects. */
  answers(withinMs: number): Promise<boolean>;
  end(): Promise<void>;
}

export interface SessionPoolOptions<Session> {
  /** Creates a session; it connects at its first statement. */
  readonly open: () => Session;
  readonly sessionsMax: number;
  /** Longest wait for a free session, in ms. */
  readonly waitMs: number;
}

/** Most waiters for a session; further ones are refused at once. */
const waitersMax = 2048;
/** A session idle for this long is closed, in ms, so that a quiet process holds none. */
const idleMs = 5 * 60 * 1000;
/**
 * Age in ms at which a session is closed when it is given back. This frees the memory that a server holds for it and
 * resolves the host name anew.
 */
const lifetimeMs = 30 * 60 * 1000;
/**
 * A session idle for this long is checked before it is used, in ms. The network may have failed silently meanwhile, and
 * a statement would wait for its whole limit.
 */
const checkAfterMs = 1_000;
/** Longest wait for that check, in ms. */
const checkMs = 5_000;
/** Interval between two searches for idle sessions, in ms. */
const idleCheckMs = 30_000;
/** Longest wait for sessions in use when the pool closes, in ms. */
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
 * At most `sessionsMax` connections, each used by one caller at a time, in order of request. Lost sessions are
 * replaced, so that the pool recovers by itself when the server comes back. Rejects with `overloaded` when none is free
 * in time, `internal` once closed.
 */
export class SessionPool<Session extends PooledSession> {
  readonly #options: SessionPoolOptions<Session>;
  /** Least recently used first. */
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

  /** Runs `work` with a session that nobody else uses. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#acquire();
    try {
      return await work(session);
    } finally {
      this.#release(session);
    }
  }

  /** Number of sessions in use and of waiters. */
  stats(): { readonly inUse: number; readonly waiting: number; readonly max: number } {
    return { inUse: this.#busy.size, waiting: this.#waiting.length, max: this.#options.sessionsMax };
  }

  /** Refuses new users, waits a little for current ones, and ends every connection. */
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

  /**
   * The idle session if it still answers, or a new one in its place. If it does not answer, sessions that were idle at
   * least as long count as lost too.
   */
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
