import type { PGlite, QueryOptions, Results, Transaction } from '@electric-sql/pglite';
import { PgDialect } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Db, QueryBuilder } from '../db/database.ts';
import { transactionScope } from '../db/transaction-scope.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { RememberedReads } from './remembered-reads.ts';

type Client = Pick<PGlite | Transaction, 'query' | 'exec'>;

const dialect = new PgDialect();

/**
 * `Db` over PGlite, which is one connection: transactions run one after another, and an outside query waits for the
 * running one. A query on the outer `Db` from inside a transaction would wait for itself; it is refused with `internal`
 * instead. Outside transactions, a statement that was just answered is answered from memory until something changes.
 */
export function pgliteDatabase(client: PGlite): Db {
  const scope = transactionScope();
  const prepared = new PreparedStatements(client);
  const remembered = new RememberedReads();
  function checkUse(): void {
    if (client.closed) throw new FirnError('internal', 'The catalog is closed.');
    scope.refuseInside();
  }
  async function run<Row>(text: string, params?: unknown[], options?: QueryOptions): Promise<Results<Row>> {
    if (!prepared.wants(text)) return client.query<Row>(text, params, options);
    return client._runExclusiveTransaction(() => prepared.query<Row>(text, params ?? [], options));
  }
  async function changing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      remembered.changed();
    }
  }
  const outside: Client = {
    async query<Row>(text: string, params?: unknown[], options?: QueryOptions): Promise<Results<Row>> {
      checkUse();
      if (!remembered.isRead(text)) return changing(() => run<Row>(text, params, options));
      const read = remembered.begin(text, params, options);
      const known = read && remembered.answer(read);
      if (known !== undefined) return known as Results<Row>;
      const answer = await run<Row>(text, params, options);
      if (read !== undefined) remembered.keep(read, answer);
      return answer;
    },
    async exec(text, options) {
      checkUse();
      return changing(() => client.exec(text, options));
    },
  };
  const inside = (tx: Transaction): Client => ({
    async query<Row>(text: string, params?: unknown[], options?: QueryOptions): Promise<Results<Row>> {
      // A closed one says so itself.
      if (tx.closed || !prepared.wants(text)) return tx.query<Row>(text, params, options);
      return prepared.query<Row>(text, params ?? [], options);
    },
    exec: (text, options) => tx.exec(text, options),
  });
  return {
    ...statements(outside),
    async transaction(work) {
      checkUse();
      return changing(() =>
        client.transaction(async (tx) => {
          const db: Db = { ...statements(inside(tx)), transaction: (inner) => inner(db) };
          return scope.run(() => work(db));
        }),
      );
    },
  };
}

function statements(client: Client): Pick<Db, 'query' | 'rows' | 'script'> {
  return {
    // Drizzle's type asks for a whole PGlite, but it uses only `query`.
    query: drizzle({ client: client as PGlite }) as unknown as QueryBuilder,
    async rows(statement) {
      const { sql, params } = dialect.sqlToQuery(statement);
      return (await client.query<Record<string, unknown>>(sql, params)).rows;
    },
    async script(text) {
      await client.exec(text);
    },
  };
}
