import { NoticeListeners, noticeBytesMax, type Notices } from './notices.ts';
import { PostgresSession, type SessionOptions } from '../postgres/postgres-session.ts';

/** The one channel of the database that all others travel on, so that subscribing needs no word with the server. */
const serverChannel = 'firn_notices';
/** Pause before a lost connection is tried again, in ms. */
const retryMs = 1_000;
/** Notices on their way to the server; more are dropped. */
const pendingMax = 256;

/** Notices over LISTEN and NOTIFY of a Postgres server, on a connection of its own, which is tried again for ever. Needs a session: not behind a pooler of transactions. */
export class PostgresNotices implements Notices {
  readonly #options: Pick<SessionOptions, 'url' | 'connectMs' | 'statementMs'>;
  readonly #onTrouble: (error: unknown) => void;
  readonly #listeners = new NoticeListeners();
  #session: PostgresSession | undefined;
  #retry: NodeJS.Timeout | undefined;
  #pending = 0;
  #closed = false;

  /** Does not wait for the server. `onTrouble` hears why it could not be reached, or why a notice was not sent. */
  constructor(options: Pick<SessionOptions, 'url' | 'connectMs' | 'statementMs'>, onTrouble: (error: unknown) => void) {
    this.#options = options;
    this.#onTrouble = onTrouble;
    void this.#connect();
  }

  publish(channel: string, body: string): void {
    const payload = JSON.stringify([channel, body]);
    // Without a server its own listeners hear it all the same.
    if (this.#session === undefined || this.#pending >= pendingMax || Buffer.byteLength(payload) > noticeBytesMax) return this.#listeners.tell(channel, body);
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
    await this.#session?.end();
  }

  async #connect(): Promise<void> {
    let session: PostgresSession | undefined;
    try {
      session = new PostgresSession({ ...this.#options, onNotice: (_, payload) => this.#hear(payload), onLost: () => this.#lost() });
      await session.script(`listen ${serverChannel}`);
      this.#session = session;
      if (this.#closed) await session.end();
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
