/** Whether two records say the same, whatever the order; none is the same as an empty one. */
export function sameEntries<Value extends string | number>(
  a: Readonly<Record<string, Value>> = {},
  b: Readonly<Record<string, Value>> = {},
): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name]);
}
