import { format } from 'prettier';
import { narrowTable } from './narrow-table.ts';

/** Columns of documents. */
export const proseColumns = 100;

/** Stands for a table while prettier formats the rest: a comment is a block of its own, and is left alone. */
const placeholder = (number: number): string => `<!-- table ${number} -->`;

/**
 * A Markdown document wrapped at {@link proseColumns}, tables included ({@link narrowTable}). Code and unbreakable text
 * (a URL, code within a line) stay as they are. So do tables that fit, because prettier alone would pad every cell to
 * the widest one of its column. Rejects with prettier's error if it cannot read the document.
 */
export async function wrapMarkdown(document: string): Promise<string> {
  const narrow = withTables(document, (table) => narrowTable(table, proseColumns));
  const { text, tables } = setTablesAside(narrow);
  const wrapped = await format(text, {
    parser: 'markdown',
    printWidth: proseColumns,
    proseWrap: 'always',
    embeddedLanguageFormatting: 'off',
  });
  return putTablesBack(wrapped, tables);
}

/** A document with each of its tables changed. */
function withTables(document: string, change: (table: string) => string): string {
  const { text, tables } = setTablesAside(document);
  return putTablesBack(text, tables.map(change));
}

/** Tables of a document, without their indent, and the document with a comment in place of each. */
function setTablesAside(document: string): { readonly text: string; readonly tables: readonly string[] } {
  const tables: string[] = [];
  const lines: string[] = [];
  let fence: string | undefined;
  const all = document.split('\n');
  for (const [at, line] of all.entries()) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : line.trim() === fence ? undefined : fence;
    const isRow = fence === undefined && mark === undefined && /^\s*\|/.test(line);
    const goesOn = isRow && lines.at(-1)?.trim() === placeholder(tables.length - 1);
    // Prose may begin with a bar, too: |x|. The rule below its heading makes it a table.
    if (!goesOn && !(isRow && /^\s*\|[\s:|-]+\|$/.test(all[at + 1] ?? ''))) lines.push(line);
    else if (goesOn) tables.push(`${tables.pop()}\n${line.trim()}`);
    else lines.push(`${/^\s*/.exec(line)![0]}${placeholder(tables.push(line.trim()) - 1)}`);
  }
  return { text: lines.join('\n'), tables };
}

function putTablesBack(text: string, tables: readonly string[]): string {
  // A function, because a table may contain text that looks like a replacement pattern.
  return text.replace(/^([^\S\n]*)<!-- table (\d+) -->$/gm, (_, indent: string, number: string) =>
    tables[Number(number)]!.replace(/^(?=.)/gm, indent),
  );
}
