import { ourName, paperName } from '../compression/compare-methods.ts';
import type { GuardFigures } from './guard-figures.ts';

/** One series under one threshold. */
export interface GuardedSeries {
  readonly series: string;
  /** The bounded metrics and by how much each may become worse, in words. */
  readonly bound: string;
  readonly figures: readonly GuardFigures[];
}

/** What both methods took, as a Markdown table with a row for each series, threshold and method. */
export function bytesTable(rows: readonly GuardedSeries[]): string {
  return table(
    ['series', 'at most worse by', 'method', 'bytes', 'times fewer', 'mean lag, steps', 'evaluations'],
    rows.flatMap(({ series, bound, figures }) => {
      const paper = figures.find(({ method }) => method === paperName);
      return figures.map((each) => [
        series,
        bound,
        each.method,
        bytesText(each),
        paper === undefined || each.method !== ourName ? '' : (paper.bytes / each.bytes).toFixed(2),
        lagText(each),
        each.evaluationsMean.toFixed(1),
      ]);
    }),
    3,
  );
}

/** What the guards kept, as a Markdown table with a row for each series, threshold and method. */
export function guardsTable(rows: readonly GuardedSeries[]): string {
  return table(
    [
      'series',
      'at most worse by',
      'method',
      'worst tensor',
      'one value',
      'lost',
      'divergence',
      'beyond',
      'worst fresh',
    ],
    rows.flatMap(({ series, bound, figures }) =>
      figures.map((each) => [
        series,
        bound,
        each.method,
        percent(each.worstTensorError, 0),
        String(each.constantTensors),
        percent(each.movementLostMean, 0),
        each.divergenceWorst?.toFixed(2) ?? '-',
        each.fresh === undefined ? '-' : `${each.fresh.beyond} of ${each.checkpointCount}`,
        each.fresh === undefined ? '-' : percent(each.fresh.worst, 2),
      ]),
    ),
    3,
  );
}

/** The metrics that nothing bounds, as a Markdown table with a row for each series, threshold and method. */
export function otherMetricsTable(rows: readonly GuardedSeries[]): string {
  return table(
    ['series', 'at most worse by', 'method', 'metric', 'worse by', 'warned'],
    rows.flatMap(({ series, bound, figures }) =>
      figures.map(({ method, otherMetricWorst, warnedCount, checkpointCount }) => [
        series,
        bound,
        method,
        otherMetricWorst?.name ?? '-',
        otherMetricWorst === undefined ? '-' : percent(otherMetricWorst.degradation, 2),
        `${warnedCount} of ${checkpointCount}`,
      ]),
    ),
    4,
  );
}

/** `textColumns` columns are aligned to the left, the rest to the right. */
function table(header: readonly string[], lines: readonly (readonly string[])[], textColumns: number): string {
  const aligned = header.map((_, i) => (i < textColumns ? '---' : '---:'));
  return [header, aligned, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function bytesText({ bytes, exactCount }: GuardFigures): string {
  return `${bytes.toLocaleString('en-US')}${exactCount === 0 ? '' : ` (${exactCount} exact)`}`;
}

function lagText({ lag }: GuardFigures): string {
  return lag === undefined ? '-' : `${lag.atLeast ? 'at least ' : ''}${lag.meanSteps.toFixed(1)}`;
}

function percent(share: number, digits: number): string {
  return `${(100 * share).toFixed(digits)} %`;
}
