import type { Terminal } from './terminal.ts';

export type Cell = string | number | undefined;

/**
 * Prints rows: as a table with a heading for a person, as tab-separated lines without one for a program. A cell that is
 * absent is a dash. Control characters of what others wrote are replaced, since a terminal would obey them.
 */
export function printTable(terminal: Terminal, columns: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const texts = rows.map((row) => row.map((cell) => printable(String(cell ?? '-'))));
  if (!terminal.isPerson) {
    for (const row of texts) terminal.say(row.join('\t'));
    return;
  }
  const widths = columns.map((column, at) => Math.max(column.length, ...texts.map((row) => row[at]!.length)));
  const isNumber = columns.map((_, at) => rows.every((row) => row[at] === undefined || typeof row[at] === 'number'));
  const line = (row: readonly string[]): string =>
    row
      .map((text, at) => (isNumber[at] ? text.padStart(widths[at]!) : text.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd();
  terminal.say(line(columns.map((column) => column.toUpperCase())));
  for (const row of texts) terminal.say(line(row));
}

/** Text without control characters. */
export function printable(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, ' ');
}
