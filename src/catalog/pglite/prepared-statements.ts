import { parse, protocol, type PGlite, type QueryOptions, type Results } from '@electric-sql/pglite';

/** A statement is prepared when its text comes so many times. */
const usesBefore = 3;
/** Texts whose uses are counted; beyond it the counting begins anew. */
const countedMax = 2000;
/** Prepared statements at once, of some 10 to 50 KB each in the database; beyond it the oldest is dropped. */
const preparedMax = 300;
/**
 * How long a statement is used before it is prepared anew, in ms. After a few uses PostgreSQL keeps one plan for all
 * values, made for tables as large as they were then, and PGlite has no autovacuum that would make it look again.
 */
const lifetimeMs = 10_000;
/** SQLSTATE feature_not_supported and invalid_sql_statement_name: the statement fits the database no more. */
const outdated: ReadonlySet<string> = new Set(['0A000', '26000']);

const { serialize } = protocol;

interface Prepared {
  readonly name: string;
  readonly parameterTypes: readonly number[];
  readonly untilMs: number;
}

type Values = readonly unknown[];

/**
 * Runs statements that come again and again without parsing and planning them each time, which is most of what a small
 * one costs in PGlite: one exchange with the database instead of six. Whoever calls it sees to it that no other
 * transaction is open.
 */
export class PreparedStatements {
  readonly #client: PGlite;
  readonly #uses = new Map<string, number>();
  /** The oldest first. */
  readonly #prepared = new Map<string, Prepared>();
  #names = 0;

  constructor(client: PGlite) {
    this.#client = client;
  }

  /** Whether a statement with this text is to go through `query`; counts its uses. */
  wants(text: string): boolean {
    if (this.#prepared.has(text)) return true;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (this.#uses.size >= countedMax) this.#uses.clear();
    this.#uses.set(text, uses);
    return uses >= usesBefore;
  }

  /** The rows, as `PGlite.query` returns them. Rejects with the database's error, or one of the connection. */
  async query<Row>(text: string, values: Values, options: QueryOptions | undefined): Promise<Results<Row>> {
    const statement = await this.#statement(text);
    const texts = values.map((value, i) => this.#textOf(value, statement.parameterTypes[i]!));
    try {
      const messages = await this.#exchange([
        serialize.bind({ statement: statement.name, values: texts }),
        serialize.describe({ type: 'P' }),
        serialize.execute({}),
      ]);
      return parse.parseResults(messages, this.#client.parsers, options)[0] as Results<Row>;
    } catch (error) {
      if (outdated.has(codeOf(error) ?? '')) this.#prepared.delete(text);
      throw error;
    }
  }

  async #statement(text: string): Promise<Prepared> {
    const known = this.#prepared.get(text);
    const nowMs = performance.now();
    if (known !== undefined && nowMs < known.untilMs) return known;
    this.#prepared.delete(text);
    const dropped = known === undefined ? this.#overflowing() : [known.name];
    const name = `firn_${(this.#names += 1)}`;
    const messages = await this.#exchange([
      ...dropped.map((each) => serialize.close({ type: 'S', name: each })),
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
    ]);
    const prepared = {
      name,
      parameterTypes: parse.parseDescribeStatementResults(messages),
      untilMs: nowMs + lifetimeMs,
    };
    this.#prepared.set(text, prepared);
    return prepared;
  }

  #overflowing(): string[] {
    if (this.#prepared.size < preparedMax) return [];
    const [text, { name }] = this.#prepared.entries().next().value!;
    this.#prepared.delete(text);
    return [name];
  }

  /** A value as text, by the type of its parameter; null stays. */
  #textOf(value: unknown, type: number): string | null {
    if (value === null || value === undefined) return null;
    const write = this.#client.serializers[type];
    return write === undefined ? String(value) : write(value);
  }

  /** Sends messages at once. After an error the database skips the rest, up to the sync at the end. */
  #exchange(messages: readonly Uint8Array[]) {
    const all = Buffer.concat([...messages, serialize.sync()]);
    // The files of the database are written as it writes them, so there is nothing to synchronize.
    return this.#client.runExclusive(() => this.#client.execProtocolStream(all, { syncToFs: false }));
  }
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}
