import { describeConfig } from './describe-config.ts';
import type { PushedCheckpoint } from './push-series.ts';

/** One line of the demo's table; also what `--json` holds. */
export interface DemoRow {
  readonly run: string;
  readonly step: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  readonly ratio: number;
  readonly kind: string;
  readonly config: string;
  readonly metricsBefore: Readonly<Record<string, number>>;
  readonly metricsAfter: Readonly<Record<string, number>>;
  readonly degradation: Readonly<Record<string, number>>;
  readonly migration: number | undefined;
  readonly trials: number;
  readonly seconds: number;
  readonly warnings: readonly string[];
}

/** Throws an Error when the checkpoint did not become ready. */
export function demoRow(pushed: PushedCheckpoint): DemoRow {
  const { status, run, checkpoint, seconds } = pushed;
  if (status.state !== 'ready' || status.result === undefined) {
    throw new Error(`${run}@${checkpoint.step} is ${status.state}: ${status.error?.code ?? 'no reason'} ${status.error?.message ?? ''}`);
  }
  const { result } = status;
  return {
    run, step: checkpoint.step, rawBytes: result.rawBytes, storedBytes: result.storedBytes, ratio: result.rawBytes / result.storedBytes,
    kind: result.fidelity === 'exact' ? `exact ${result.kind}` : result.kind, config: result.config === undefined ? '-' : describeConfig(result.config),
    metricsBefore: result.baseline ?? {}, metricsAfter: result.measured ?? {}, degradation: result.degradation ?? {},
    migration: result.migration, trials: result.trialCount, seconds, warnings: result.warnings,
  };
}

const columns = ['run', 'step', 'raw', 'stored', 'ratio', 'kind', 'config', 'metrics before > after', 'degradation', 'trials', 's'] as const;
const widths = [13, 7, 10, 9, 7, 11, 46, 44, 34, 6, 6];

export function headerLine(): string {
  return line([...columns]);
}

export function rowLine(row: DemoRow): string {
  const names = Object.keys(row.metricsBefore);
  return line([
    row.run, String(row.step), String(row.rawBytes), String(row.storedBytes), row.ratio.toFixed(2), row.kind, row.config,
    names.map((name) => `${name} ${row.metricsBefore[name]!.toFixed(4)} > ${(row.metricsAfter[name] ?? Number.NaN).toFixed(4)}`).join(', '),
    names.map((name) => `${name} ${(100 * (row.degradation[name] ?? Number.NaN)).toFixed(2)} %`).join(', '),
    String(row.trials), row.seconds.toFixed(1),
  ]);
}

function line(cells: readonly string[]): string {
  return cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' ').trimEnd();
}

export interface Totals {
  readonly checkpoints: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  readonly ratio: number;
  readonly worstDegradation: Readonly<Record<string, number>>;
  readonly trials: number;
  readonly seconds: number;
}

export function totalsOf(rows: readonly DemoRow[]): Totals {
  const sum = (pick: (row: DemoRow) => number): number => rows.reduce((total, row) => total + pick(row), 0);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.degradation)))];
  const worstDegradation = Object.fromEntries(names.map((name) => [name, Math.max(...rows.map((row) => row.degradation[name] ?? -Infinity))]));
  const rawBytes = sum((row) => row.rawBytes);
  const storedBytes = sum((row) => row.storedBytes);
  return { checkpoints: rows.length, rawBytes, storedBytes, ratio: rawBytes / storedBytes, worstDegradation, trials: sum((row) => row.trials), seconds: sum((row) => row.seconds) };
}
