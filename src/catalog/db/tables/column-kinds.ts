import { sql } from 'drizzle-orm';
import { bigint, text, timestamp } from 'drizzle-orm/pg-core';
import type { FirnErrorCode } from '../../../checkpoint/firn-error.ts';

/** 32 hex digits that the database makes up. */
export const id = () =>
  text('id')
    .primaryKey()
    .default(sql`replace(gen_random_uuid()::text, '-', '')`);
export const bytes = (name: string) => bigint(name, { mode: 'number' });
/** A number in the JSON of the column `result`, which the database takes out of it. */
export const bytesOfResult = (name: string, field: string) => {
  const key = sql.raw(field);
  return bytes(name).generatedAlwaysAs(
    sql`case when jsonb_typeof(result -> '${key}') = 'number' then (result ->> '${key}')::numeric::bigint end`,
  );
};
export const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
export const createdAt = () => time('created_at').notNull().defaultNow();
export const errorCode = () => text('error_code').$type<FirnErrorCode>();
