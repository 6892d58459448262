import { NoticeListeners, noticeBytesMax, type Notices } from './notices.ts';
import { PostgresSession, type SessionOptions } from '../postgres/postgres-session.ts';

/** The one channel of the database that carries all notices, so that subscribing needs no request. */
const serverChannel = 'firn_notices';
/** Pause before reconnecting, in ms. */
const retryMs = 1_000;
/** How often a connection is checked, in ms: it mostly listens, and a silent server looks like a dead one. */
const checkEveryMs = 5_000;
/** Longest wait for an answer, in ms. It does not depend on the limit of the catalog's statements. */
const answerMs = 5_000;
/** Most notices on their way to the server; further ones are dropped. */
const pendingMax = 256;

/**
 * Notices over LISTEN and NOTIFY of a Postgres server, on a connection of its own, which reconnects for ever. Needs a
 * session, so it does not work behind a transaction pooler.
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

  /** Does not wait for the server. `onTrouble` is called when the server cannot be reached or a notice was not sent. */
  constructor(options: Pick<SessionOptions, 'url' | 'connectMs' | 'statementMs'>, onTrouble: (error: unknown) => void) {
    this.#options = options;
    this.#onTrouble = onTrouble;
    this.#check = setInterval(() => void this.#session?.answers(answerMs), checkEveryMs).unref();
    void this.#connect();
  }

  publish(channel: string, body: string): void {
    const payload = JSON.stringify([channel, body]);
    // Listeners of this process get the notice even without a server.
    if (this.#session === undefined || this.#pending >= pendingMax || Buffer.byteLength(payload) > noticeBytesMax)
      return this.#listeners.call(channel, body);
    this.#pending += 1;
    this.#session
      .query('select pg_notify($1, $2)', [serverChannel, payload], 'arrays')
      .catch((error: unknown) => {
        this.#onTrouble(error);
        this.#listeners.call(channel, body);
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
        // A session that never connected is reported below.
        onLost: () => this.#session === made && this.#lost(),
      });
      session = made;
      await made.script(`listen ${serverChannel}`);
      this.#session = made;
      // Lost in between, before `onLost` could see it.
      if (made.lost) this.#lost();
      if (this.#closed) await made.end();
    } catch (error) {
      if (!this.#closed) this.#onTrouble(error);
      void session?.end().catch(() => undefined);
      this.#lost();
    }
  }

  /** At most one reconnect runs at a time. */
  #lost(): void {
    this.#session = undefined;
    if (this.#closed || this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      void this.#connect();
    }, retryMs).unref();
  }

  /** Anyone who can write to the database can write nonsense to the channel. */
  #hear(payload: string): void {
    let said: unknown;
    try {
      said = JSON.parse(payload);
    } catch {
      return;
    }
    if (!Array.isArray(said)) return;
    const [channel, body] = said as unknown[];
    if (typeof channel === 'string' && typeof body === 'string') this.#listeners.call(channel, body);
  }
}
