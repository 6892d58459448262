import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Db } from '../db/database.ts';
import { testTemplate } from '../test-catalog.test-support.ts';
import { pgliteDatabase } from './pglite-database.ts';
import { RememberedReads } from './remembered-reads.ts';

let client: PGlite;
let db: Db;
beforeAll(async () => {
  client = await PGlite.create({ loadDataDir: await testTemplate() });
});
afterAll(() => client.close());
beforeEach(async () => {
  await client.exec(
    'drop table if exists things; deallocate all; ' +
      'create table things (id integer primary key, t text, j jsonb, b bytea); ' +
      "insert into things values (1, 'one', '{\"a\":[1]}', 'x'), (2, 'two', null, null)",
  );
  db = pgliteDatabase(client);
});

const textOf = async (id: number): Promise<unknown> =>
  (await db.rows(sql`select t from things where id = ${id}`))[0]?.['t'];
/** Changes a row without `db`, so that an answer from memory differs from one of the database. */
const changeBehind = (text: string) => client.query('update things set t = $1', [text]);

test('an answer that came twice is given again until something changes', async () => {
  for (let i = 0; i < 2; i++) expect(await textOf(1)).toBe('one');
  await changeBehind('behind');
  expect(await textOf(1)).toBe('one');
  // Other values, and other statements, are others.
  expect(await textOf(2)).toBe('behind');
  await db.rows(sql`insert into things (id) values (3) returning id`);
  expect(await textOf(1)).toBe('behind');
});

test.each<[string, () => Promise<unknown>]>([
  ['a statement', () => db.rows(sql`update things set t = 'new' where id = 1 returning id`)],
  ['a statement that fails', () => db.rows(sql`insert into things (id) values (1) returning id`).catch(() => 'failed')],
  ['a script', () => db.script("update things set t = 'new' where id = 1")],
  ['a transaction', () => db.transaction((tx) => tx.script("update things set t = 'new' where id = 1"))],
  ['a transaction that fails', () => db.transaction(() => Promise.reject(new Error('no'))).catch(() => 'failed')],
  ['a select with a lock', () => db.rows(sql`select id from things where id = 1\nfor update`)],
  ['a notice', () => db.rows(sql`select pg_notify('a', 'b')`)],
  [
    'a statement that begins with another',
    () => db.rows(sql`with d as (delete from things returning id) select * from d`),
  ],
])('%s ends what is remembered', async (_, change) => {
  for (let i = 0; i < 2; i++) expect(await textOf(1)).toBe('one');
  await changeBehind('behind');
  expect(await textOf(1)).toBe('one');
  await change();
  expect(await textOf(1)).not.toBe('one');
});

test('what changes by itself, many rows, large ones and bytes are asked for each time', async () => {
  await client.exec("insert into things (id, t) select n, repeat('x', 2000) from generate_series(10, 40) n");
  const asked = [
    sql`select t, now() < '1000-01-01' from things where id = 1`,
    sql`select t from things order by id`,
    sql`select t from things where id < 20 order by id`,
    sql`select t, b from things where id = 1`,
  ];
  for (const statement of asked) for (let i = 0; i < 3; i++) await db.rows(statement);
  await changeBehind('behind');
  for (const statement of asked) expect((await db.rows(statement))[0]).toMatchObject({ t: 'behind' });
});

test('whether the database answers is asked each time', async () => {
  const own = await PGlite.create();
  const other = pgliteDatabase(own);
  for (let i = 0; i < 3; i++) await other.rows(sql`select 1 as one`);
  await own.close();
  await expect(other.rows(sql`select 1 as one`)).rejects.toMatchObject({ code: 'internal' });
  const reads = new RememberedReads();
  expect(reads.begin('select 1', [], undefined)).toBeUndefined();
});

test('nobody can change what others are given', async () => {
  const read = async () => (await db.rows(sql`select j from things where id = 1`))[0] as { j: { a: number[] } };
  for (let i = 0; i < 2; i++) await read();
  const known = await read();
  expect(await read()).toEqual({ j: { a: [1] } });
  expect(() => known.j.a.push(2)).toThrow(TypeError);
});

test('reads beside a transaction see what was there before it, and what it did as soon as it is done', async () => {
  for (let i = 0; i < 3; i++) await textOf(1);
  let goOn = () => {};
  const waiting = new Promise<void>((resolve) => (goOn = resolve));
  const changing = db.transaction(async (tx) => {
    await tx.script("update things set t = 'new' where id = 1");
    await waiting;
  });
  expect(await textOf(1)).toBe('one');
  // It waits for the transaction.
  const other = textOf(2);
  goOn();
  await changing;
  expect(await textOf(1)).toBe('new');
  expect(await other).toBe('two');
});

test('an answer that was under way while something changed is not kept', () => {
  const reads = new RememberedReads();
  const begin = () => reads.begin('select one from numbers', [], undefined)!;
  const answer = { rows: [{ one: 1 }], fields: [] };
  const [first, second] = [begin(), begin()];
  reads.keep(first, answer);
  reads.changed();
  reads.keep(second, answer);
  reads.keep(begin(), answer);
  expect(reads.answer(begin())).toBeUndefined();
  reads.keep(begin(), answer);
  expect(reads.answer(begin())).toEqual(answer);
});

test('a thousand writers and readers: whoever was told of a change sees it', async () => {
  await db.script('update things set j = null; update things set t = 0');
  let told = 0;
  const write = async (): Promise<void> => {
    const [row] = await db.rows(sql`update things set t = (t::int + 1)::text where id = 1 returning t`);
    told = Math.max(told, Number(row!['t']));
  };
  const read = async (): Promise<void> => {
    const atLeast = told;
    expect(Number(await textOf(1))).toBeGreaterThanOrEqual(atLeast);
  };
  await Promise.all(
    Array.from({ length: 20 }, async (_, client) => {
      for (let i = 0; i < 50; i++) await (client % 4 === 0 && i % 3 === 0 ? write() : read());
    }),
  );
  expect(told).toBe(5 * 17);
});
