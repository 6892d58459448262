/** Most names in one sentence. */
const namesShownMax = 8;

/** Names for a sentence. */
export function someOf(names: readonly string[]): string {
  const rest = names.length > namesShownMax ? ` and ${names.length - namesShownMax} more` : '';
  return `${names.slice(0, namesShownMax).join(', ')}${rest}`;
}
