import { NoticeListeners, noticeBytesMax, type Notices } from './notices.ts';
import { PostgresSession, type SessionOptions } from '../postgres/postgres-session.ts';

/** The one channel of the database that all others travel on, so that subscribing needs no word with the server. */
const serverChannel = 'firn_notices';
/** Pause before a lost connection is tried again, in ms. */
const retryMs = 1_000;
/**
 * How often a connection is asked whether it still is one, in ms: it mostly listens, and a silent server looks like a
 * dead one.
 */
const checkEveryMs = 5_000;
/** Longest wait for an answer, in ms: sending a notice takes none of the time that a statement of the catalog may. */
const answerMs = 5_000;
/** Notices on their way to the server; more are dropped. */
const pendingMax = 256;

/**
 * Notices over LISTEN and NOTIFY of a Postgres server, on a connection of its own, which is tried again for ever. Needs
 * a session: not behind a pooler of transactions.
 */
export class PostgresNotices implements Notices {
  readonly #options: Pick<SessionOptions, 'url' | 'connectMs' | 'statementMs'>;
  readonly #onTrouble: (error: unknown) => void;
  readonly #listeners = new NoticeListeners();
  #session: PostgresSession | undefined;
  #retry: NodeJS.Timeout | undefined;
  readonly #check: NodeJS.Timeout;
  #pending = 0;
  #closed = false;

  /** Does not wait for the server. `onTrouble` hears why it could not be reached, or why a notice was not sent. */
  constructor(options: Pick<SessionOptions, 'url' | 'connectMs' | 'statementMs'>, onTrouble: (error: unknown) => void) {
    this.#options = options;
    this.#onTrouble = onTrouble;
    this.#check = setInterval(() => void this.#session?.answers(answerMs), checkEveryMs).unref();
    void this.#connect();
  }

  publish(channel: string, body: string): void {
    const payload = JSON.stringify([channel, body]);
    // Without a server its own listeners hear it all the same.
    if (this.#session === undefined || this.#pending >= pendingMax || Buffer.byteLength(payload) > noticeBytesMax)
      return this.#listeners.tell(channel, body);
    this.#pending += 1;
    this.#session
      .query('select pg_notify($1, $2)', [serverChannel, payload], 'arrays')
      .catch((error: unknown) => {
        this.#onTrouble(error);
        this.#listeners.tell(channel, body);
      })
      .finally(() => {
        this.#pending -= 1;
      });
  }

  subscribe(channel: string, listener: (body: string) => void): () => void {
    return this.#listeners.add(channel, listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearInterval(this.#check);
    await this.#session?.end();
  }

  async #connect(): Promise<void> {
    let session: PostgresSession | undefined;
    try {
      const made = new PostgresSession({
        ...this.#options,
        answerMs,
        onNotice: (_, payload) => this.#hear(payload),
        // One that never came about is reported below.
        onLost: () => this.#session === made && this.#lost(),
      });
      session = made;
      await made.script(`listen ${serverChannel}`);
      this.#session = made;
      // Lost in between: nobody has heard of it.
      if (made.lost) this.#lost();
      if (this.#closed) await made.end();
    } catch (error) {
      if (!this.#closed) this.#onTrouble(error);
      void session?.end().catch(() => undefined);
      this.#lost();
    }
  }

  /** At most one try at a time. */
  #lost(): void {
    this.#session = undefined;
    if (this.#closed || this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      void this.#connect();
    }, retryMs).unref();
  }

  /** Whoever may write to the database may write nonsense to the channel. */
  #hear(payload: string): void {
    let said: unknown;
    try {
      said = JSON.parse(payload);
    } catch {
      return;
    }
    if (!Array.isArray(said)) return;
    const [channel, body] = said as unknown[];
    if (typeof channel === 'string' && typeof body === 'string') this.#listeners.tell(channel, body);
  }
}
