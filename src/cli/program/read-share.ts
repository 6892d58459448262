/** Parses a share such as `0.01` or `1%`. Undefined if it is none. */
export function readShare(text: string): number | undefined {
  const [, number, percent] = /^(\d{1,9}(?:\.\d{1,9})?)(%?)$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  return percent === '%' ? Number(number) / 100 : Number(number);
}
