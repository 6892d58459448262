/**
 * The text that each `*` of a pattern matches in a name, the shortest from the left; undefined if the pattern does not
 * match the whole name. The search never backtracks, so it takes no longer than finding each text of the pattern once.
 */
export function matchWildcards(pattern: string, name: string): string[] | undefined {
  const star = pattern.indexOf('*');
  if (star < 0) return name === pattern ? [] : undefined;
  if (!name.startsWith(pattern.slice(0, star))) return undefined;
  const texts = pattern.slice(star + 1).split('*');
  const last = texts.pop()!;
  if (!name.endsWith(last) || name.length < star + last.length) return undefined;
  let rest = name.slice(star, name.length - last.length);
  const found: string[] = [];
  for (const text of texts) {
    const at = rest.indexOf(text);
    if (at < 0) return undefined;
    found.push(rest.slice(0, at));
    rest = rest.slice(at + text.length);
  }
  return [...found, rest];
}
