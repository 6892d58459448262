import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Db } from '../db/database.ts';
import { testTemplate } from '../test-catalog.test-support.ts';
import { pgliteDatabase } from './pglite-database.ts';
import { PreparedStatements } from './prepared-statements.ts';

let client: PGlite;
let db: Db;
beforeAll(async () => {
  client = await PGlite.create({ loadDataDir: await testTemplate() });
});
afterAll(() => client.close());
beforeEach(async () => {
  await client.exec(
    'drop table if exists things; deallocate all; create table things (id integer primary key, t text)',
  );
  db = pgliteDatabase(client);
});

/** More than it takes until a statement is prepared. */
const often = 6;
const preparedCount = async (): Promise<number> =>
  (await client.query<{ count: number }>('select count(*)::int as count from pg_prepared_statements')).rows[0]!.count;
const again = async <T>(work: (index: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let index = 0; index < often; index++) results.push(await work(index));
  return results;
};

test('a statement that comes often is prepared once, and answers as before', async () => {
  const rows = await again((n) =>
    db.rows(sql`select ${n}::int + 1 as next, ${null}::text as none, ${'ü'}::text as text`),
  );
  expect(rows).toEqual(Array.from({ length: often }, (_, n) => [{ next: n + 1, none: null, text: 'ü' }]));
  expect(await preparedCount()).toBe(1);
});

test('values of every type that the catalog uses come through unchanged', async () => {
  const time = '2026-01-02 03:04:05.678+00';
  const rows = await again(() =>
    db.rows(sql`select ${time}::timestamptz = timestamptz '2026-01-02T03:04:05.678Z' as time, ${true}::boolean as flag,
      ${2 ** 53 - 1}::bigint::text as large, ${0.1}::double precision::text as small, ${BigInt(7)}::bigint::text as big,
      ${'{"a":[1,"x"]}'}::jsonb as json, ${"quote '' and \\ and \n"}::text as text`),
  );
  for (const row of rows)
    expect(row).toEqual([
      {
        time: true,
        flag: true,
        large: '9007199254740991',
        small: '0.1',
        big: '7',
        json: { a: [1, 'x'] },
        text: "quote '' and \\ and \n",
      },
    ]);
});

test('an error is that of the database, and the next use works', async () => {
  const insert = (id: number) => db.rows(sql`insert into things values (${id}, 'x') returning id`);
  await again(insert);
  for (let count = 0; count < 2; count++) await expect(insert(0)).rejects.toMatchObject({ code: '23505' });
  expect(await insert(100)).toEqual([{ id: 100 }]);
});

test('in a transaction it sees and keeps what the transaction does, and an error aborts that', async () => {
  const insert = (tx: Db, id: number) => tx.rows(sql`insert into things values (${id}, 'y') returning id`);
  const count = async (tx: Db) => (await tx.rows(sql`select count(*)::int as count from things`))[0]!['count'];
  await db.transaction(async (tx) => {
    await again((id) => insert(tx, id));
    expect(await again(() => count(tx))).toEqual(Array.from({ length: often }, () => often));
  });
  const failing = db.transaction(async (tx) => {
    await insert(tx, 50);
    await insert(tx, 50);
  });
  await expect(failing).rejects.toMatchObject({ code: '23505' });
  expect(await count(db)).toBe(often);
  const caught = db.transaction(async (tx) => {
    await insert(tx, 0).catch(() => undefined);
    return count(tx);
  });
  await expect(caught).rejects.toMatchObject({ code: '25P02' });
  expect(await count(db)).toBe(often);
});

test('statements outside wait for a transaction, prepared or not', async () => {
  const count = async (on: Db) => (await on.rows(sql`select count(*)::int as count from things`))[0]!['count'];
  await again(() => count(db));
  let outside: Promise<unknown> | undefined;
  let seenFirst: unknown = 'nothing';
  // Begun before the transaction, so that it is not inside of it.
  const later = async (): Promise<void> => {
    await Promise.resolve();
    outside = count(db).then((seen) => (seenFirst = seen));
  };
  const begun = later();
  await db.transaction(async (tx) => {
    await begun;
    await tx.rows(sql`insert into things values (1, 'z') returning id`);
    await tx.rows(sql`insert into things values (2, 'z') returning id`);
  });
  await outside;
  expect([0, 2]).toContain(seenFirst);
  const many = await Promise.all(Array.from({ length: 50 }, () => count(db)));
  expect(new Set(many)).toEqual(new Set([2]));
});

test('a statement that fits the table no more is prepared anew', async () => {
  await db.rows(sql`insert into things values (1, 'a') returning id`);
  const all = () => db.rows(sql`select * from things`);
  await again(all);
  await db.script('alter table things add column more integer default 5');
  await all().catch((error: unknown) => expect(error).toMatchObject({ code: '0A000' }));
  expect(await all()).toEqual([{ id: 1, t: 'a', more: 5 }]);
});

test('the number of prepared statements is bounded', async () => {
  const statements = new PreparedStatements(client);
  for (let number = 0; number < 400; number++) {
    const text = `select ${number} + $1::int as sum`;
    for (let use = 0; use < 3; use++)
      if (statements.wants(text))
        expect((await statements.query(text, [1], undefined)).rows).toEqual([{ sum: number + 1 }]);
  }
  expect(await preparedCount()).toBe(300);
  const first = 'select 0 + $1::int as sum';
  for (let use = 0; use < 3; use++) statements.wants(first);
  expect((await statements.query(first, [1], undefined)).rows).toEqual([{ sum: 1 }]);
});
