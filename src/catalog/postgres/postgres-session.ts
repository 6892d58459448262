import postgres from 'postgres';
import { FirnError } from '../../checkpoint/firn-error.ts';

export interface SessionOptions {
  /** `postgres://user:password@host:port/database`, with `sslmode` and others as parameters. */
  readonly url: string;
  /** Longest wait for a connection, in ms. */
  readonly connectMs: number;
  /** Longest time of a statement, waiting for locks included, in ms. */
  readonly statementMs: number;
  /** Longest wait for any answer after connecting, in ms; by default the limit of a statement and `answerGraceMs`. */
  readonly answerMs?: number;
  /** Called with notifications of channels that this session listens to. */
  readonly onNotice?: (channel: string, payload: string) => void;
  /** Called once when the connection is lost or given up, but not when its owner ends it. */
  readonly onLost?: () => void;
}

export type Row = Readonly<Record<string, unknown>>;

/** Longest pause inside a transaction, in ms. After that the server ends it, so that a stuck process holds no locks. */
const idleInTransactionMs = 60_000;
/**
 * Added to a statement's own limit, which the server enforces, in ms. After that the server or the network counts as
 * dead.
 */
const answerGraceMs = 5_000;
/** Seconds that a connection has to close properly. */
const endSeconds = 1;
/** Object ids of date, timestamp, timestamptz, json and jsonb: drizzle and json-column.ts parse their text. */
const textTypes = { times: [1082, 1114, 1184], json: [114, 3802] };

/**
 * One connection to a Postgres server, for one user at a time. Once lost, it never reconnects, because later statements
 * would not be in the transaction that began before. That is why each session has a client of its own: a pool of
 * postgres.js moves a transaction's statements to the connection that replaced the lost one. Rejects with the driver's
 * errors; see database-error.ts.
 */
export class PostgresSession {
  readonly openedAtMs = performance.now();
  readonly #client: postgres.Sql;
  readonly #connectMs: number;
  readonly #answerMs: number;
  readonly #onLost: () => void;
  #connected = false;
  #lost = false;

  constructor({
    url,
    connectMs,
    statementMs,
    answerMs = statementMs + answerGraceMs,
    onNotice,
    onLost = () => undefined,
  }: SessionOptions) {
    this.#connectMs = connectMs;
    this.#answerMs = answerMs;
    this.#onLost = onLost;
    const asText = (from: number[]) => ({
      to: from.at(-1)!,
      from,
      serialize: (value: unknown) => value,
      parse: (text: unknown) => text,
    });
    const options = {
      max: 1,
      connect_timeout: connectMs / 1000,
      // The pool decides when a connection closes: postgres.js might do so between two statements of a transaction.
      idle_timeout: 0,
      max_lifetime: 0,
      // Only array types need it.
      fetch_types: false,
      onnotice: () => undefined,
      onclose: () => this.#lose(),
      ...(onNotice !== undefined && { onnotify: onNotice }),
      types: { times: asText(textTypes.times), json: asText(textTypes.json) },
      connection: {
        application_name: 'firn',
        statement_timeout: statementMs,
        idle_in_transaction_session_timeout: idleInTransactionMs,
      },
    };
    this.#client = postgres(
      url,
      options as unknown as postgres.Options<Record<string, never>>,
    ) as unknown as postgres.Sql;
  }

  /** Whether the connection can no longer be used. */
  get lost(): boolean {
    return this.#lost;
  }

  /** One statement. `shape` chooses between rows as objects and rows as arrays of columns. */
  query(text: string, params: readonly unknown[], shape: 'objects'): Promise<Row[]>;
  query(text: string, params: readonly unknown[], shape: 'arrays'): Promise<unknown[][]>;
  query(text: string, params: readonly unknown[], shape: 'objects' | 'arrays'): Promise<unknown[]> {
    return this.#asking(async () => {
      // Not prepared: a statement pooler may send each statement to another session.
      const pending = this.#client.unsafe(text, params as never[], { prepare: false });
      return [...(shape === 'arrays' ? await pending.values() : await pending)];
    });
  }

  /** Several statements without parameters; the command tag of the last, such as `COMMIT`. */
  script(text: string): Promise<string> {
    return this.#asking(async () => {
      const result: unknown = await this.#client.unsafe(text).simple();
      const last = Array.isArray(result) && Array.isArray(result.at(-1)) ? (result.at(-1) as unknown) : result;
      return (last as { command?: string }).command ?? '';
    });
  }

  /** Ends the connection; later statements fail. */
  async end(): Promise<void> {
    this.#lost = true;
    await this.#client.end({ timeout: endSeconds });
  }

  /** Whether the server answers within `withinMs`. If not, the session is given up. */
  async answers(withinMs: number): Promise<boolean> {
    const late = setTimeout(() => this.#giveUp(), withinMs);
    try {
      await this.query('select 1', [], 'arrays');
      return true;
    } catch {
      return false;
    } finally {
      clearTimeout(late);
    }
  }

  /** Gives up a server that exceeds its own limits; pending calls reject. */
  async #asking<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#lost) throw lostConnection();
    const late = setTimeout(() => this.#giveUp(), this.#answerMs + (this.#connected ? 0 : this.#connectMs));
    try {
      const answer = await ask();
      this.#connected = true;
      return answer;
    } catch (error) {
      // A session that never connected is not worth reusing.
      if (!this.#connected) this.#lost = true;
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  #giveUp(): void {
    // Report the loss before ending the client, which may take time.
    this.#lose();
    void this.#client.end({ timeout: 0 });
  }

  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#onLost();
  }
}

/** The error of a statement whose connection is lost. */
export function lostConnection(): FirnError {
  return new FirnError('overloaded', 'The catalog is busy or out of reach; try again.', {
    detail: 'the connection was lost',
  });
}
