import { asGoodAsText } from './as-good-as-text.ts';
import type { DemoRow } from './demo-row.ts';

const columns = [
  ['run', 13],
  ['step', 7],
  ['raw', 10],
  ['stored', 9],
  ['ratio', 7],
  ['as good as step', 16],
  ['kind', 11],
  ['config', 43],
  ['metrics before > after', 48],
  ['degradation', 34],
  ['trials', 6],
  ['s', 6],
] as const;

export function headerLine(): string {
  return line(columns.map(([name]) => name));
}

export function rowLine(row: DemoRow): string {
  const names = Object.keys(row.metricsBefore);
  const shown = (value: number | null | undefined, digits: number): string =>
    typeof value === 'number' ? value.toFixed(digits) : 'not finite';
  const percent = (value: number | null | undefined): string =>
    typeof value === 'number' ? `${(100 * value).toFixed(2)} %` : 'not finite';
  return line([
    row.run,
    String(row.step),
    String(row.rawBytes),
    String(row.storedBytes),
    row.ratio.toFixed(2),
    asGoodAsText(row),
    row.kind,
    row.config,
    names
      .map((name) => `${name} ${shown(row.metricsBefore[name], 4)} > ${shown(row.metricsAfter[name], 4)}`)
      .join(', '),
    names.map((name) => `${name} ${percent(row.degradation[name])}`).join(', '),
    String(row.trials),
    row.seconds.toFixed(1),
  ]);
}

function line(cells: readonly string[]): string {
  return cells
    .map((cell, i) => cell.padEnd(columns[i]![1]))
    .join(' ')
    .trimEnd();
}
