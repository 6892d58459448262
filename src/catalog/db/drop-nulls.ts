type Nullable<Row> = { [Key in keyof Row]: null extends Row[Key] ? Key : never }[keyof Row];

/** A row whose nullable columns became optional properties. */
export type WithoutNulls<Row> = { [Key in Exclude<keyof Row, Nullable<Row>>]: Row[Key] } & {
  [Key in Nullable<Row>]?: Exclude<Row[Key], null>;
};

/** A row as a record: null columns are absent properties. */
export function dropNulls<Row extends object>(row: Row): WithoutNulls<Row> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<Row>;
}
