import { format } from 'prettier';

/** Columns of prose in documents. */
export const proseColumns = 100;

/** What stands for a table while prettier sees the rest: a comment is a block of its own, and is left alone. */
const placeholder = (number: number): string => `<!-- table ${number} -->`;

/**
 * A Markdown document with its prose wrapped at {@link proseColumns}. Tables, code and what cannot be broken (a URL, code within a line) stay as they are: prettier alone would pad
 * every cell of a table to the widest one of its column. Rejects with prettier's error where it cannot read the document.
 */
export async function wrapMarkdown(document: string): Promise<string> {
  const tables: string[] = [];
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of document.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : line.trim() === fence ? undefined : fence;
    const inTable = fence === undefined && mark === undefined && /^\s*\|/.test(line);
    if (!inTable) lines.push(line);
    else if (lines.at(-1)?.trim() === placeholder(tables.length - 1)) tables.push(`${tables.pop()}\n${line}`);
    else lines.push(`${/^\s*/.exec(line)![0]}${placeholder(tables.push(line) - 1)}`);
  }
  const wrapped = await format(lines.join('\n'), {
    parser: 'markdown',
    printWidth: proseColumns,
    proseWrap: 'always',
    embeddedLanguageFormatting: 'off',
  });
  // An arrow, since a table may hold what a replacement pattern would take for its own.
  return wrapped.replace(/^([^\S\n]*)<!-- table (\d+) -->$/gm, (_, indent: string, number: string) => {
    return tables[Number(number)]!.replace(/^\s*(?=\|)/gm, indent);
  });
}
