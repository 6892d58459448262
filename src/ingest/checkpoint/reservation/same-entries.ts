/** Whether two records have the same entries in any order; undefined equals an empty record. */
export function sameEntries<Value extends string | number>(
  a: Readonly<Record<string, Value>> = {},
  b: Readonly<Record<string, Value>> = {},
): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name]);
}
