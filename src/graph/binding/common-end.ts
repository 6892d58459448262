/** Length of the common end of two names, in characters. */
export function commonEnd(a: string, b: string): number {
  const max = Math.min(a.length, b.length);
  let length = 0;
  while (length < max && a[a.length - 1 - length] === b[b.length - 1 - length]) length += 1;
  return length;
}
