import { asGoodAsText } from '../../../src/cli/demo/report/as-good-as-text.ts';
import type { LeadingMetric } from '../../../src/checkpoint/quality/as-good-as.ts';
import { methodLag } from './method-lag.ts';
import { totalBytes, type CheckpointOutcome, type MethodResult } from '../method-result.ts';

/** Content of a report besides the methods. */
export interface ReportContext {
  readonly series: string;
  readonly checkpointCount: number;
  readonly thresholds: Readonly<Record<string, number>>;
  /** Largest share of what each bounded metric gained that may be lost; absent if it is not bounded. */
  readonly progress?: number;
  /** All measured metrics, the bounding ones first. */
  readonly metrics: readonly string[];
  /** The first bounding metric; the lag of a method's checkpoints is read off its curve. */
  readonly leading: LeadingMetric;
  /** Bytes of all fp32 weights and other tensors of the series. */
  readonly rawBytes: number;
}

/** A comparison as Markdown: the description, the table, and notes on single rows. */
export function comparisonText(results: readonly MethodResult[], context: ReportContext): string {
  const note = damageNote(context);
  const head = `${describeComparison(context)}${note === undefined ? '' : ` ${note}`}`;
  const notes = tableNotes(results, context);
  return [head, markdownTable(results, context), ...(notes.length === 0 ? [] : [notes.join(' ')])].join('\n\n');
}

/** The table as Markdown: one row per method. */
export function markdownTable(results: readonly MethodResult[], context: ReportContext): string {
  const header = [
    'method',
    'bytes',
    'ratio',
    'as good as step',
    'mean lag',
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
  return [header, header.map((_, i) => (i === 0 ? '---' : '---:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Notes on single rows, one sentence each; may be empty. */
function tableNotes(results: readonly MethodResult[], { leading }: ReportContext): string[] {
  const same = [...new Set(results.flatMap(({ sameModelAs }) => sameModelAs ?? []))];
  const untold = results.filter((result) => methodLag(result, leading) === undefined).map(({ name }) => name);
  return [
    ...same.map(
      (name) =>
        `Other coders of the bins of "${name}" rebuild its model bit for bit: what such rows say of metrics ` +
        'and steps was measured there.',
    ),
    ...(untold.length === 0
      ? []
      : [
          `No step (-) for ${untold.join(', ')}: ${leading.name} of the last checkpoint was not evaluated, ` +
            'or is not finite.',
        ]),
  ];
}

/**
 * Relative degradation from which checkpoints count as damaged: at 5 % of loss the bundled series' last checkpoint is
 * worse than its first upload (docs/decisions/0035-what-the-demo-counts.md).
 */
const damagedFrom = 0.05;

/** A sentence for thresholds that are too large for use; undefined for others. */
function damageNote({ thresholds }: Pick<ReportContext, 'thresholds'>): string | undefined {
  const damaging = Object.entries(thresholds).filter(([, threshold]) => threshold >= damagedFrom);
  if (damaging.length === 0) return undefined;
  const bounds = damaging.map(([metric, threshold]) => `${percent(threshold)} of ${metric}`);
  return `Damaged: ${bounds.join(' and ')} is for comparison with papers that allow as much, not for use.`;
}

/** One sentence that describes the comparison. */
export function describeComparison({ series, checkpointCount, thresholds, progress, rawBytes }: ReportContext): string {
  const bounds = Object.entries(thresholds).map(
    ([metric, threshold]) => `${metric} at most ${percent(threshold)} worse`,
  );
  const ofProgress =
    progress === undefined
      ? ''
      : `, and by at most ${percent(progress)} of what was gained since the checkpoint before`;
  return (
    `${series}: ${checkpointCount} checkpoints, ${(rawBytes / 1e6).toFixed(1)} MB raw; in every checkpoint ` +
    `${bounds.join(' and ')}${ofProgress}.`
  );
}

function lineOf(result: MethodResult, { metrics, rawBytes, leading }: ReportContext): string[] {
  const { outcomes, name, note } = result;
  const exactCount = outcomes.filter(({ knob }) => knob === 'exact').length;
  const lag = methodLag(result, leading);
  const remarks = [note, exactCount === 0 ? '' : `${exactCount} exact`].filter((remark) => remark !== '');
  return [
    remarks.length === 0 ? name : `${name} (${remarks.join('; ')})`,
    String(totalBytes(result)),
    (rawBytes / totalBytes(result)).toFixed(2),
    asGoodAsText({ step: lag?.lastStep ?? 0, asGoodAs: lag?.last }),
    lag === undefined ? '-' : `${lag.beforeFirst === 0 ? '' : 'at least '}${lag.meanLagSteps.toFixed(1)}`,
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

/** Without a run's first checkpoint, whose search has no starting point. */
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
