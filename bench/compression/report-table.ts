import { totalBytes, type CheckpointOutcome, type MethodResult } from './method-result.ts';

/** What a report says besides the methods. */
export interface ReportContext {
  readonly series: string;
  readonly checkpointCount: number;
  readonly thresholds: Readonly<Record<string, number>>;
  /** All that are measured, the bounding ones first. */
  readonly metrics: readonly string[];
  /** Bytes of all fp32 weights and other tensors of the series. */
  readonly rawBytes: number;
}

/** The table as Markdown: one line a method. */
export function markdownTable(results: readonly MethodResult[], context: ReportContext): string {
  const header = [
    'method',
    'bytes',
    'ratio',
    ...context.metrics.map((metric) => `${metric} worst / mean`),
    'error to fresh',
    'movement lost',
    'migration',
    'evaluations mean / worst',
    'encode',
    'decode',
    'to bound',
  ];
  const lines = results.map((result) => lineOf(result, context));
  return [header, header.map((_, i) => (i === 0 ? '---' : '---:')), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** One sentence on what was compared. */
export function describeComparison({ series, checkpointCount, thresholds, rawBytes }: ReportContext): string {
  const bounds = Object.entries(thresholds).map(([metric, threshold]) => `${metric} at most ${percent(threshold)} worse`);
  return `${series}: ${checkpointCount} checkpoints, ${(rawBytes / 1e6).toFixed(1)} MB raw; in every checkpoint ${bounds.join(' and ')}.`;
}

function lineOf(result: MethodResult, { metrics, rawBytes }: ReportContext): string[] {
  const { outcomes, name, note } = result;
  const exactCount = outcomes.filter(({ knob }) => knob === 'exact').length;
  const remarks = [note, exactCount === 0 ? '' : `${exactCount} exact`].filter((remark) => remark !== '');
  return [
    remarks.length === 0 ? name : `${name} (${remarks.join('; ')})`,
    String(totalBytes(result)),
    (rawBytes / totalBytes(result)).toFixed(2),
    ...metrics.map((metric) => degradationOf(outcomes, metric)),
    errorOf(result),
    meanOf(
      outcomes.map(({ movementLost }) => movementLost),
      (mean) => mean.toFixed(2),
    ),
    meanOf(
      outcomes.map(({ migration }) => migration),
      percent,
    ),
    evaluationsOf(outcomes),
    speedOf(rawBytes, result.encodeSeconds),
    speedOf(rawBytes, result.decodeSeconds),
    distanceOf(outcomes),
  ];
}

function degradationOf(outcomes: readonly CheckpointOutcome[], metric: string): string {
  const values = outcomes.map(({ degradation }) => degradation[metric] ?? 0);
  return `${percent(Math.max(...values))} / ${percent(values.reduce((sum, value) => sum + value, 0) / values.length)}`;
}

/** Mean over checkpoints of all tensors together, and the worst tensor of the worst checkpoint. */
function errorOf({ outcomes, alwaysAfresh }: MethodResult): string {
  if (alwaysAfresh) return '1';
  const ratios = outcomes.flatMap(({ errorRatio }) => (errorRatio === undefined ? [] : [errorRatio]));
  if (ratios.length === 0) return '-';
  const mean = ratios.reduce((sum, { pooled }) => sum + pooled, 0) / ratios.length;
  return `${mean.toFixed(2)} (worst tensor ${Math.max(...ratios.map(({ worst }) => worst)).toFixed(2)})`;
}

function meanOf(values: readonly (number | undefined)[], show: (mean: number) => string): string {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? '-' : show(known.reduce((sum, value) => sum + value, 0) / known.length);
}

/** After a run's first checkpoint, whose search has nothing to start from. */
function evaluationsOf(outcomes: readonly CheckpointOutcome[]): string {
  const later = outcomes.slice(1).map(({ evaluations }) => evaluations);
  return later.length === 0 ? '-' : `${meanOf(later, (mean) => mean.toFixed(1))} / ${Math.max(...later)}`;
}

function speedOf(rawBytes: number, seconds: number | undefined): string {
  if (seconds === undefined || seconds === 0) return '-';
  return `${(rawBytes / seconds / 1e9).toPrecision(2)} GB/s`;
}

function distanceOf(outcomes: readonly CheckpointOutcome[]): string {
  const bins = outcomes.flatMap((outcome) => (outcome.bins === undefined ? [] : [outcome.bins]));
  if (bins.length === 0) return '-';
  const bytes = bins.reduce((sum, each) => sum + each.bytes, 0);
  return `${(bytes / bins.reduce((sum, { boundBytes }) => sum + boundBytes, 0)).toFixed(2)}x`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
