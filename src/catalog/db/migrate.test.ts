import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from './database.ts';
import { migrate } from './migrate.ts';
import { pgliteDatabase } from '../pglite/pglite-database.ts';
import { planMigrations, type Migration } from './plan-migrations.ts';
import { expectCode } from '../catalog-fixtures.test-support.ts';
import { testTemplate } from '../test-catalog.test-support.ts';
import { translating } from './translate-failures.ts';

describe('planMigrations', () => {
  const file = (name: string, sha256 = name): Migration => ({ name, sha256, text: '' });
  const files = [file('0001_a.sql'), file('0002_b.sql'), file('0003_c.sql')];

  test.each([0, 1, 2, 3])('with %i applied the rest is left', (count) => {
    expect(planMigrations(files, files.slice(0, count))).toEqual(files.slice(count));
  });

  test.each([
    ['a changed file', files, [file('0001_a.sql', 'other')], 'internal'],
    ['a file that is gone', files.slice(0, 1), files.slice(0, 2), 'unsupported-format'],
    ['another file in its place', files, [file('0001_x.sql')], 'unsupported-format'],
    ['a gap in the numbers', [files[0]!, files[2]!], [], 'internal'],
    ['one number twice', [files[0]!, file('0001_b.sql')], [], 'internal'],
    ['a bad name', [file('1_a.sql')], [], 'internal'],
  ] as const)('%s is refused', (_, present, applied, code) => {
    expect(() => planMigrations(present, applied)).toThrow(expect.objectContaining({ code }));
  });
});

describe('migrate', () => {
  let client: PGlite;
  let db: Db;
  let directory: string;
  const url = () => pathToFileURL(`${directory}/`);
  const add = (name: string, text: string) => writeFile(join(directory, name), text);

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'firn-migrations-'));
    await client.exec('drop schema public cascade; create schema public');
  });
  beforeAll(async () => {
    client = await PGlite.create({ loadDataDir: await testTemplate() });
    db = pgliteDatabase(client);
  });
  afterEach(() => rm(directory, { recursive: true }));
  afterAll(() => client.close());

  test('files are applied once, in order, also when they arrive later', async () => {
    await add('0001_a.sql', 'create table a (x integer); insert into a values (1);');
    await migrate(db, url());
    await migrate(db, url());
    await add('0002_b.sql', 'insert into a select x + 1 from a;');
    await migrate(db, url());
    expect(await db.rows(sql`select x from a order by x`)).toEqual([{ x: 1 }, { x: 2 }]);
  });

  test('a file that fails leaves the database as it was', async () => {
    await add('0001_a.sql', 'create table a (x integer);');
    await add('0002_b.sql', 'create table b (x integer); select nonsense;');
    await expectCode(
      translating(() => migrate(db, url())),
      'internal',
    );
    expect(await db.rows(sql`select table_name from information_schema.tables where table_schema = 'public'`)).toEqual(
      [],
    );
  });

  test('a file changed after it was applied is refused', async () => {
    await add('0001_a.sql', 'create table a (x integer);');
    await migrate(db, url());
    await add('0001_a.sql', 'create table a (x bigint);');
    await expectCode(migrate(db, url()), 'internal');
  });

  test('a directory without migrations is refused', async () => {
    await expectCode(migrate(db, url()), 'internal');
  });
});
