import { PGlite } from '@electric-sql/pglite';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import { packageKinds } from '../contract/checkpoint-records.ts';
import { evalSetStates } from '../contract/eval-set-records.ts';
import { jobStates } from '../contract/work/job-records.ts';
import * as schema from './schema.ts';
import { testTemplate } from '../test-catalog.test-support.ts';

test('the schema that queries use has the columns, types and nulls that the migrations make', async () => {
  const client = await PGlite.create({ loadDataDir: await testTemplate() });
  const { rows } = await client.query<{
    table: string;
    column: string;
    type: string;
    nullable: boolean;
    generated: boolean;
  }>(`
    select table_name as table, column_name as column, data_type as type, is_nullable = 'YES' as nullable,
      column_default is not null or is_identity = 'YES' as generated
    from information_schema.columns
    where table_schema = 'public'
      and table_name not in ('migrations', 'retired_packages', 'condemned_objects', 'arrivals')
      and column_name <> 'super_step_id'`);
  await client.close();
  const declared = Object.values(schema)
    .filter((table) => is(table, PgTable))
    .flatMap((table) =>
      Object.values(getTableColumns(table)).map((column) => ({
        table: getTableName(table),
        column: column.name,
        type: column.getSQLType(),
        nullable: !column.notNull,
        generated: column.hasDefault,
      })),
    );
  const order = (a: { table: string; column: string }, b: { table: string; column: string }) =>
    `${a.table}.${a.column}`.localeCompare(`${b.table}.${b.column}`);
  expect(declared.sort(order)).toEqual(rows.sort(order));
});

test.each([
  ['states of jobs', schema.jobs.state, jobStates],
  ['states of eval sets', schema.evalSets.state, evalSetStates],
  ['kinds of packages', schema.packages.kind, packageKinds],
])('the %s are written once', (_, column, values) => {
  expect(column.enumValues).toBe(values);
});

test('a process of the previous version writes pending deletions and reservations by their old names', async () => {
  const client = await PGlite.create({ loadDataDir: await testTemplate() });
  try {
    await client.exec(`
      insert into condemned_objects (key, condemned_at, stored_bytes, repository_id, reason)
        values ('k', default, 5, null, 'orphan') on conflict do nothing;
      insert into condemned_objects (key, condemned_at, stored_bytes, repository_id, reason)
        values ('k', default, 6, null, 'orphan') on conflict do nothing;
      insert into arrivals (id, run_id, checkpoint_id, size_bytes, keep_until) values ('a', 'r', 'c', 5, now())
        on conflict (id) do update set size_bytes = 6;
      insert into arrivals (id, run_id, checkpoint_id, size_bytes, keep_until) values ('a', 'r', 'c', 7, now())
        on conflict (id) do update set size_bytes = 8;
      update arrivals set keep_until = 'epoch' where id = 'a';`);
    const { rows: deletions } = await client.query(
      `select key, stored_bytes, pending_since > now() - interval '1 hour' as dated from pending_deletions`,
    );
    expect(deletions).toEqual([{ key: 'k', stored_bytes: 5, dated: true }]);
    const { rows: reservations } = await client.query(
      'select id, size_bytes, extract(epoch from expires_at)::int as expires from body_reservations',
    );
    expect(reservations).toEqual([{ id: 'a', size_bytes: 8, expires: 0 }]);
    await client.exec(`delete from condemned_objects where key = 'k'; delete from arrivals where id = 'a'`);
    expect(
      (await client.query('select 1 from pending_deletions union all select 1 from body_reservations')).rows,
    ).toEqual([]);
  } finally {
    await client.close();
  }
});

test('a process of the version before merges packages under their old name, and reads what others merge', async () => {
  const client = await PGlite.create({ loadDataDir: await testTemplate() });
  const merged = async (): Promise<unknown> =>
    (await client.query(`select merged_package_id as now, super_step_id as before from packages order by id`)).rows;
  const values = `size_bytes, stored_bytes, index_offset_bytes, index_length_bytes, kind, chain_length`;
  try {
    // Packages without a checkpoint: only the names are looked at.
    await client.exec(`
      set session_replication_role = replica;
      alter table packages enable always trigger packages_both_names;
      insert into packages (id, checkpoint_id, key, super_step_id, ${values})
        values ('a', 'c', 'k', default, 1, 1, 0, 1, 'base', 1);
      insert into packages (id, checkpoint_id, key, merged_package_id, ${values})
        values ('b', 'c', 'l', null, 1, 1, 0, 1, 'base', 1);`);
    await client.exec(`update packages set super_step_id = 'old' where id = 'a'`);
    await client.exec(`update packages set merged_package_id = 'new' where id = 'b'`);
    expect(await merged()).toEqual([
      { now: 'old', before: 'old' },
      { now: 'new', before: 'new' },
    ]);
    await client.exec(
      `update packages set merge_tried = true; update packages set super_step_id = null where id = 'b'`,
    );
    expect(await merged()).toEqual([
      { now: 'old', before: 'old' },
      { now: null, before: null },
    ]);
  } finally {
    await client.close();
  }
});
