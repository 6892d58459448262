import { proseColumns } from './wrap-markdown.ts';

/**
 * Lines of a wrapped document with more than {@link proseColumns} columns, except those that are one long word, such as
 * an address.
 */
export function longLines(document: string): string[] {
  return document
    .split('\n')
    .filter((line) => line.length > proseColumns && /\S\s+\S/.test(line.replace(/^\s*([-*>]|\d+\.)\s+/, '')));
}
