import { describeConfig } from './describe-config.ts';
import type { PushedCheckpoint } from './push-series.ts';
import { recordedNotes } from './recorded-notes.ts';

/** One line of the demo's table; also what `--json` holds. */
export interface DemoRow {
  readonly run: string;
  readonly step: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  readonly ratio: number;
  readonly kind: string;
  readonly config: string;
  /** JSON has no NaN and no infinity: a value that is not finite arrives as null. */
  readonly metricsBefore: Readonly<Record<string, number | null>>;
  readonly metricsAfter: Readonly<Record<string, number | null>>;
  readonly degradation: Readonly<Record<string, number | null>>;
  readonly migration: number | undefined;
  readonly trials: number;
  readonly seconds: number;
  readonly warnings: readonly string[];
}

/** `metrics` come first, in their order; what else was measured follows. Throws an Error when the checkpoint did not become ready. */
export function demoRow(pushed: PushedCheckpoint, metrics: readonly string[] = []): DemoRow {
  const { status, run, checkpoint, seconds } = pushed;
  if (status.state !== 'ready' || status.result === undefined) {
    throw new Error(`${run}@${checkpoint.step} is ${status.state}: ${status.error?.code ?? 'no reason'} ${status.error?.message ?? ''}`);
  }
  const { result } = status;
  return {
    run,
    step: checkpoint.step,
    rawBytes: result.rawBytes,
    storedBytes: result.storedBytes,
    ratio: result.rawBytes / result.storedBytes,
    kind: result.fidelity === 'exact' ? `exact ${result.kind}` : result.kind,
    config: result.config === undefined ? '-' : describeConfig(result.config),
    metricsBefore: inOrder(result.baseline, metrics),
    metricsAfter: inOrder(result.measured, metrics),
    degradation: inOrder(result.degradation, metrics),
    migration: result.migration,
    trials: result.trialCount,
    seconds,
    warnings: [...result.warnings, ...recordedNotes(checkpoint.recorded, result.baseline ?? {})],
  };
}

function inOrder(values: Readonly<Record<string, number>> = {}, names: readonly string[]): Record<string, number> {
  return Object.fromEntries([...new Set([...names, ...Object.keys(values)])].flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]!]] : [])));
}

const columns = ['run', 'step', 'raw', 'stored', 'ratio', 'kind', 'config', 'metrics before > after', 'degradation', 'trials', 's'] as const;
const widths = [13, 7, 10, 9, 7, 11, 43, 48, 34, 6, 6];

export function headerLine(): string {
  return line([...columns]);
}

export function rowLine(row: DemoRow): string {
  const names = Object.keys(row.metricsBefore);
  const shown = (value: number | null | undefined, digits: number): string => (typeof value === 'number' ? value.toFixed(digits) : 'not finite');
  const percent = (value: number | null | undefined): string => (typeof value === 'number' ? `${(100 * value).toFixed(2)} %` : 'not finite');
  return line([
    row.run,
    String(row.step),
    String(row.rawBytes),
    String(row.storedBytes),
    row.ratio.toFixed(2),
    row.kind,
    row.config,
    names.map((name) => `${name} ${shown(row.metricsBefore[name], 4)} > ${shown(row.metricsAfter[name], 4)}`).join(', '),
    names.map((name) => `${name} ${percent(row.degradation[name])}`).join(', '),
    String(row.trials),
    row.seconds.toFixed(1),
  ]);
}

function line(cells: readonly string[]): string {
  return cells
    .map((cell, i) => cell.padEnd(widths[i]!))
    .join(' ')
    .trimEnd();
}

export interface Totals {
  readonly checkpoints: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  readonly ratio: number;
  /** Of the finite ones. */
  readonly worstDegradation: Readonly<Record<string, number>>;
  readonly trials: number;
  readonly seconds: number;
}

export function totalsOf(rows: readonly DemoRow[]): Totals {
  const sum = (pick: (row: DemoRow) => number): number => rows.reduce((total, row) => total + pick(row), 0);
  const worstDegradation: Record<string, number> = {};
  for (const [name, value] of rows.flatMap((row) => Object.entries(row.degradation))) {
    if (value !== null) worstDegradation[name] = Math.max(worstDegradation[name] ?? -Infinity, value);
  }
  const rawBytes = sum((row) => row.rawBytes);
  const storedBytes = sum((row) => row.storedBytes);
  return {
    checkpoints: rows.length,
    rawBytes,
    storedBytes,
    ratio: rawBytes / storedBytes,
    worstDegradation,
    trials: sum((row) => row.trials),
    seconds: sum((row) => row.seconds),
  };
}
