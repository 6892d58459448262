import { countElements } from '../../checkpoint/count-elements.ts';
import type { MetricReading } from '../../evaluate/examine/examination.ts';

/**
 * Seconds of one core, as docs/guide/eval-sets.md has them ("Cost"): of the graph for a weight and a position, of the
 * metrics of a set for a logit, and of observed metrics for a logit.
 */
const seconds = { weight: 21e-12, logit: 16e-9, observedLogit: 51e-9 };

/** Observed metrics that take no longer, in seconds, are measured in every trial. */
const cheapSeconds = 0.1;

/**
 * How many trials of a checkpoint measure all observed metrics, at least one. If the trial that is stored is among
 * them, the stored result needs no evaluation. More would cost more than that evaluation: a large vocabulary has large
 * outputs. `weights`: those of the model.
 */
export function observedTrials(
  weights: number,
  readings: readonly Pick<MetricReading, 'counted' | 'ignored' | 'output' | 'outputShape'>[],
): number {
  const outputs = new Map(readings.map(({ output, outputShape }) => [output, countElements(outputShape)]));
  const logits = [...outputs.values()].reduce((sum, count) => sum + count, 0);
  const positions = Math.max(0, ...readings.map(({ counted, ignored }) => counted + ignored));
  const evaluation = seconds.weight * weights * positions + seconds.logit * logits;
  const observed = seconds.observedLogit * logits;
  return observed <= cheapSeconds ? Infinity : 1 + Math.floor(evaluation / observed);
}
