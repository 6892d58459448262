import { PgDialect } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import type { Db, QueryBuilder } from '../db/database.ts';
import { lostConnection, type PostgresSession } from './postgres-session.ts';
import { repeatRolledBack } from '../db/repeat-rolled-back.ts';
import type { SessionPool } from './session-pool.ts';
import { transactionScope } from '../db/transaction-scope.ts';

const dialect = new PgDialect();

/** Runs `ask` on one session. */
type Ask = <T>(ask: (session: PostgresSession) => Promise<T>) => Promise<T>;

/**
 * `Db` over a pool of connections to a Postgres server. A statement outside a transaction takes any connection; a
 * transaction keeps one until it ends, read committed. If the server rolls a transaction back because of a deadlock, it
 * runs again from its beginning (repeat-rolled-back.ts). If the connection is lost during the commit, its outcome is
 * unknown.
 */
export function postgresDatabase(pool: SessionPool<PostgresSession>): Db {
  const scope = transactionScope();
  return {
    ...statements(async (ask) => {
      scope.refuseInside();
      return repeatRolledBack(() => pool.use(ask));
    }),
    async transaction(work) {
      scope.refuseInside();
      return repeatRolledBack(() => pool.use((session) => inTransaction(session, (tx) => scope.run(() => work(tx)))));
    },
  };
}

async function inTransaction<T>(session: PostgresSession, work: (tx: Db) => Promise<T>): Promise<T> {
  await session.script('begin isolation level read committed');
  let failure: unknown;
  const tx: Db = {
    ...statements(async (ask) => {
      try {
        return await ask(session);
      } catch (error) {
        failure ??= error;
        throw error;
      }
    }),
    transaction: (inner) => inner(tx),
  };
  let result: T;
  try {
    result = await work(tx);
  } catch (error) {
    // If the session cannot even roll back, end it: that ends the transaction.
    await session.script('rollback').catch(() => session.end());
    throw error;
  }
  // If `work` ignored a failed statement, the server answers the commit with a rollback.
  if ((await session.script('commit')) !== 'COMMIT') throw failure instanceof Error ? failure : lostConnection();
  return result;
}

function statements(run: Ask): Pick<Db, 'query' | 'rows' | 'script'> {
  return {
    query: drizzle(async (text, params, method) => ({
      rows: await run<unknown[]>((session) =>
        method === 'all'
          ? session.query(text, params as unknown[], 'arrays')
          : session.query(text, params as unknown[], 'objects'),
      ),
    })) as unknown as QueryBuilder,
    rows: (statement) => {
      const { sql, params } = dialect.sqlToQuery(statement);
      return run((session) => session.query(sql, params, 'objects'));
    },
    script: (text) => run(async (session) => void (await session.script(text))),
  };
}
