import postgres from 'postgres';
import { FirnError } from '../../checkpoint/firn-error.ts';

export interface SessionOptions {
  /** `postgres://user:password@host:port/database`, with `sslmode` and the like as parameters. */
  readonly url: string;
  /** Longest wait for a connection, in ms. */
  readonly connectMs: number;
  /** Longest a statement may take, waiting for locks included, in ms. */
  readonly statementMs: number;
  /**
   * Longest wait for any answer once it is connected, in ms; by default what a statement may take, and a grace for the
   * way.
   */
  readonly answerMs?: number;
  /** Hears notifications of channels this session listens to. */
  readonly onNotice?: (channel: string, payload: string) => void;
  /** Called once, when the connection is gone or given up, unless its owner ended it. */
  readonly onLost?: () => void;
}

export type Row = Readonly<Record<string, unknown>>;

/** Longest pause inside a transaction, in ms; then the server ends it, so that a stuck process holds no locks. */
const idleInTransactionMs = 60_000;
/**
 * Beyond a statement's own limit, which the server keeps, in ms. Then the server or the way to it is taken for dead.
 */
const answerGraceMs = 5_000;
/** Rest of a second given to a connection to say goodbye. */
const endSeconds = 1;
/** Object ids of date, timestamp, timestamptz, json and jsonb: drizzle and json-column.ts read their text. */
const textTypes = { times: [1082, 1114, 1184], json: [114, 3802] };

/**
 * One connection to a Postgres server, for one user at a time, until it is lost: it never connects again, for what
 * comes after would not be in the transaction that began before. That is why each has a client of its own: a pool of
 * postgres.js hands a transaction's statements to whatever connection took the place of the lost one. Rejects with what
 * the driver says; see database-error.ts.
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
      // The pool decides when a connection ends: postgres.js would do so between two statements of a transaction.
      idle_timeout: 0,
      max_lifetime: 0,
      // Only arrays need them.
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

  /** Nothing can be asked any more. */
  get lost(): boolean {
    return this.#lost;
  }

  /** One statement; rows as arrays of columns where `shape` says so. */
  query(text: string, params: readonly unknown[], shape: 'objects'): Promise<Row[]>;
  query(text: string, params: readonly unknown[], shape: 'arrays'): Promise<unknown[][]>;
  query(text: string, params: readonly unknown[], shape: 'objects' | 'arrays'): Promise<unknown[]> {
    return this.#asking(async () => {
      // Not prepared: a statement pooler between here and the server may hand each statement to another session.
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

  /** Ends the connection; what it is still asked fails. */
  async end(): Promise<void> {
    this.#lost = true;
    await this.#client.end({ timeout: endSeconds });
  }

  /** Whether the server answers within so many ms. One that does not is given up. */
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

  /** A server that does not even keep its own limits is given up, and what waits for it rejects. */
  async #asking<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#lost) throw lostConnection();
    const late = setTimeout(() => this.#giveUp(), this.#answerMs + (this.#connected ? 0 : this.#connectMs));
    try {
      const answer = await ask();
      this.#connected = true;
      return answer;
    } catch (error) {
      // One that never came about is not worth keeping.
      if (!this.#connected) this.#lost = true;
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  #giveUp(): void {
    // Told before the client ends, which may take its time.
    this.#lose();
    void this.#client.end({ timeout: 0 });
  }

  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#onLost();
  }
}

/** What a statement meets whose connection is gone. */
export function lostConnection(): FirnError {
  return new FirnError('overloaded', 'The catalog is busy or out of reach; try again.', {
    detail: 'the connection was lost',
  });
}
