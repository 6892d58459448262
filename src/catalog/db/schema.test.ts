import { PGlite } from '@electric-sql/pglite';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import * as schema from './schema.ts';
import { testTemplate } from '../test-catalog.test-support.ts';

test('the schema that queries use has the columns, types and nulls that the migrations make', async () => {
  const client = await PGlite.create({ loadDataDir: await testTemplate() });
  const { rows } = await client.query<{ table: string; column: string; type: string; nullable: boolean; generated: boolean }>(`
    select table_name as table, column_name as column, data_type as type, is_nullable = 'YES' as nullable, column_default is not null or is_identity = 'YES' as generated
    from information_schema.columns where table_schema = 'public' and table_name not in ('migrations', 'retired_packages', 'condemned_objects', 'arrivals')`);
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
