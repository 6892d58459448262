import { sql, type SQL } from 'drizzle-orm';

/**
 * Values for the right side of `in`, each a parameter. Must not be empty, and be far fewer than the protocol's 65535.
 */
export function textList(values: readonly string[]): SQL {
  return sql`(${sql.join(
    values.map((value) => sql`${value}`),
    sql`, `,
  )})`;
}
