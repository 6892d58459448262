import { FirnError } from '../../checkpoint/firn-error.ts';
import { binaryCrossEntropy } from './cross-entropy.ts';
import { requireSameValues } from './label-layout.ts';
import { placeOfLabel } from './label-words.ts';
import type { MetricAccumulator, MetricBatch, NumberTensor } from './metric-accumulator.ts';

/** Requires a target of 0 to 1. Errors: `eval-label-mismatch`. */
export function requireBinaryTarget(labels: NumberTensor, at: number): void {
  const target = labels.data[at]!;
  if (target >= 0 && target <= 1) return;
  throw new FirnError(
    'eval-label-mismatch',
    `Label ${target}${placeOfLabel(labels, at, labels.data.length)} is no binary target (0 to 1).`,
  );
}

/** Mean over the values that count of a score of a logit and its 0..1 target. */
class MeanBinaryScore implements MetricAccumulator {
  readonly #ignoreLabel: number | undefined;
  readonly #score: (logit: number, target: number) => number;
  #sum = 0;
  #count = 0;

  constructor(ignoreLabel: number | undefined, score: (logit: number, target: number) => number) {
    this.#ignoreLabel = ignoreLabel;
    this.#score = score;
  }

  add({ output, labels }: MetricBatch): void {
    requireSameValues(output, labels!);
    for (let at = 0; at < output.data.length; at++) {
      const target = labels!.data[at]!;
      if (target === this.#ignoreLabel) continue;
      requireBinaryTarget(labels!, at);
      this.#sum += this.#score(output.data[at]!, target);
      this.#count++;
    }
  }

  value(): number {
    return this.#sum / this.#count;
  }
}

/** Mean cross-entropy of 0..1 targets under the sigmoid of one logit each, in nats. */
export function meanBinaryCrossEntropy(ignoreLabel: number | undefined): MetricAccumulator {
  return new MeanBinaryScore(ignoreLabel, binaryCrossEntropy);
}

/** Share of values for which logit > 0 agrees with target > 0.5. */
export function binaryAccuracy(ignoreLabel: number | undefined): MetricAccumulator {
  return new MeanBinaryScore(ignoreLabel, (logit, target) =>
    Number.isNaN(logit) ? Number.NaN : Number(logit > 0 === target > 0.5),
  );
}
