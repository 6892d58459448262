import { expect, test } from 'vitest';
import { printTable } from './print-table.ts';
import type { Terminal } from './terminal.ts';

function printed(isPerson: boolean): string[] {
  const lines: string[] = [];
  const terminal: Terminal = {
    ...{ isPerson, asJson: false, remark: () => undefined, progress: () => undefined },
    say: (line) => void lines.push(line),
  };
  printTable(
    terminal,
    ['step', 'stored'],
    [
      [1, { bytes: 3_145_728 }],
      [2, undefined],
    ],
  );
  return lines;
}

test('an amount of bytes is in KiB or MiB on a terminal, and a plain number in a pipe', () => {
  expect(printed(true)).toEqual(['STEP   STORED', '   1  3.0 MiB', '   2        -']);
  expect(printed(false)).toEqual(['1\t3145728', '2\t-']);
});
