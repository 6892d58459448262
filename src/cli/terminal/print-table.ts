import { bytesInWords } from '../../checkpoint/words/bytes-in-words.ts';
import type { Terminal } from './terminal.ts';

/** An amount of bytes: in KiB, MiB and so on for a person, as a plain number for a program. */
export interface BytesCell {
  readonly bytes: number;
}

export type Cell = string | number | BytesCell | undefined;

/**
 * Prints rows: as a table with a heading for a person, as tab-separated lines without one for a program. A cell that is
 * absent is a dash. Control characters of what others wrote are replaced, since a terminal would obey them.
 */
export function printTable(terminal: Terminal, columns: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const texts = rows.map((row) => row.map((cell) => printable(textOf(cell, terminal.isPerson))));
  if (!terminal.isPerson) {
    for (const row of texts) terminal.say(row.join('\t'));
    return;
  }
  const widths = columns.map((column, at) => Math.max(column.length, ...texts.map((row) => row[at]!.length)));
  const isNumber = columns.map((_, at) => rows.every((row) => typeof row[at] !== 'string'));
  const line = (row: readonly string[]): string =>
    row
      .map((text, at) => (isNumber[at] ? text.padStart(widths[at]!) : text.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd();
  terminal.say(line(columns.map((column) => column.toUpperCase())));
  for (const row of texts) terminal.say(line(row));
}

/** The cell of an amount that may not be known. */
export function bytesCell(bytes: number | undefined): BytesCell | undefined {
  return bytes === undefined ? undefined : { bytes };
}

function textOf(cell: Cell, isPerson: boolean): string {
  if (typeof cell !== 'object') return String(cell ?? '-');
  return isPerson ? bytesInWords(cell.bytes) : String(cell.bytes);
}

/** Text without control characters. */
export function printable(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, ' ');
}
