import type { EvalSetSpec, MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { metricKindRules, readsClasses } from '../../checkpoint/quality/metric-kind.ts';
import type { MetricReading } from '../examine/examination.ts';
import { requireBinaryTarget } from '../metrics/binary-metrics.ts';
import { forEachPosition } from '../metrics/class-labels.ts';
import { labelWords, placeOfLabel } from '../metrics/label-words.ts';
import type { NumberTensor } from '../metrics/metric-accumulator.ts';
import { withRules } from '../metrics/metric-set.ts';
import type { PreparedSet } from '../batches/prepared-set.ts';
import { labelRows } from '../batches/label-rows.ts';

export interface LabelCheck {
  readonly prepared: PreparedSet;
  readonly spec: EvalSetSpec;
  /** Of each metric in the order of the spec, as read from one batch. */
  readonly readings: readonly Pick<MetricReading, 'outputShape'>[];
}

/**
 * Reads the labels of every row like the metrics, without running the graph on them, so that any label that is no
 * class, probability or target is found. Errors: `eval-label-mismatch`, also if `ignoreLabel` leaves nothing.
 */
export function checkLabels({ prepared, spec, readings }: LabelCheck): void {
  for (const [number, metric] of spec.metrics.entries()) {
    const labels =
      metric.kind === 'loss' || metric.labels === undefined ? undefined : prepared.labels.get(metric.labels);
    if (labels === undefined) continue;
    try {
      const counted = readLabels(prepared, { metric, labels, spec, outputShape: readings[number]!.outputShape });
      if (counted > 0) continue;
      throw new FirnError(
        'eval-label-mismatch',
        `${labelWords(labels)} count nowhere: "ignoreLabel": ${spec.ignoreLabel} in the spec leaves all of them out.`,
      );
    } catch (error) {
      throw withRules(error, metric);
    }
  }
}

interface MetricLabels {
  readonly metric: MetricSpec;
  readonly labels: NumberTensor;
  readonly spec: EvalSetSpec;
  readonly outputShape: readonly number[];
}

/** Number of labels that count. */
function readLabels({ rows, batchRows }: PreparedSet, { metric, labels, spec, outputShape }: MetricLabels): number {
  const { comparedWith } = metricKindRules[metric.kind];
  const { ignoreLabel } = spec;
  let counted = 0;
  for (let rowStart = 0; rowStart < rows; rowStart += batchRows) {
    const rowEnd = Math.min(rowStart + batchRows, rows);
    const batch = labelRows(labels, rowStart, rowEnd);
    if (readsClasses(metric.kind)) {
      // Their layout follows from shapes; the logits themselves are not read.
      const dims = outputShape[0] === rows ? [rowEnd - rowStart, ...outputShape.slice(1)] : outputShape;
      forEachPosition(
        { dims, data: [] },
        batch,
        { labels: spec.labels, ignoreLabel, classAxis: metric.classAxis },
        () => counted++,
      );
      continue;
    }
    for (let at = 0; at < batch.data.length; at++) {
      if (batch.data[at] === ignoreLabel) continue;
      if (comparedWith === 'binary-targets') requireBinaryTarget(batch, at);
      else requireFiniteTarget(batch, at);
      counted++;
    }
  }
  return counted;
}

function requireFiniteTarget(labels: NumberTensor, at: number): void {
  const target = labels.data[at]!;
  if (Number.isFinite(target)) return;
  const place = placeOfLabel(labels, at, labels.data.length);
  throw new FirnError(
    'eval-label-mismatch',
    `Label ${target}${place} is no target: one that is not finite makes the whole figure NaN. Leave its row out.`,
  );
}
