import { quoteName } from '../checkpoint/words/quote-name.ts';

/** Most names that a sentence lists; it only counts more. */
const quotedNamesMax = 5;

/** The first few of many names from an upload, quoted, and how many more there are. */
export function quoteNames(names: readonly string[]): string {
  const quoted = names.slice(0, quotedNamesMax).map(quoteName).join(', ');
  return names.length > quotedNamesMax ? `${quoted} and ${names.length - quotedNamesMax} more` : quoted;
}
