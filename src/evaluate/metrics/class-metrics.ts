import { classCrossEntropy, largestClass, rankOfClass, softCrossEntropy, type ClassRow } from './cross-entropy.ts';
import { forEachPosition, type LabelReading } from './class-labels.ts';
import type { LogSums } from './log-sums.ts';
import type { MetricAccumulator, MetricBatch } from './metric-accumulator.ts';

/** The contribution of one position to a mean; NaN if a logit is NaN. */
type Score = (row: ClassRow, label: number | ClassRow, logSums: LogSums) => number;

/** Mean over the positions that count of a score of logits and label. */
class MeanScore implements MetricAccumulator {
  readonly #reading: LabelReading;
  readonly #score: Score;
  #sum = 0;
  #count = 0;

  constructor(reading: LabelReading, score: Score) {
    this.#reading = reading;
    this.#score = score;
  }

  add({ output, labels, logSums }: MetricBatch): void {
    forEachPosition(output, labels!, this.#reading, ({ row, label }) => {
      this.#sum += this.#score(row, label, logSums);
      this.#count++;
    });
  }

  value(): number {
    return this.#sum / this.#count;
  }
}

/** Mean cross-entropy of the labels under a softmax of the logits, in nats. */
export function meanCrossEntropy(reading: LabelReading): MetricAccumulator {
  return new MeanScore(reading, (row, label, logSums) =>
    typeof label === 'number'
      ? classCrossEntropy(row, label, logSums.of(row))
      : softCrossEntropy(row, label, logSums.of(row)),
  );
}

/** Share of positions at which the label's class has the largest logit. */
export function accuracy(reading: LabelReading): MetricAccumulator {
  return new MeanScore(reading, (row, label) => {
    const best = largestClass(row);
    return best < 0 ? Number.NaN : Number(best === classOf(label));
  });
}

/** Share of positions at which the label's class is among the `k` largest logits. */
export function topKAccuracy(reading: LabelReading, k: number): MetricAccumulator {
  return new MeanScore(reading, (row, label) => {
    const rank = rankOfClass(row, classOf(label));
    return Number.isNaN(rank) ? rank : Number(rank < k);
  });
}

/** Mean over classes of 2 tp / (2 tp + fp + fn), over the classes that occur in labels or answers. */
export class MacroF1 implements MetricAccumulator {
  readonly #reading: LabelReading;
  /** By class: how often it was right, answered, and the label. */
  readonly #counts = new Map<number, { right: number; answered: number; labelled: number }>();
  #poisoned = false;

  constructor(reading: LabelReading) {
    this.#reading = reading;
  }

  add({ output, labels }: MetricBatch): void {
    forEachPosition(output, labels!, this.#reading, ({ row, label }) => {
      const answer = largestClass(row);
      if (answer < 0) {
        this.#poisoned = true;
        return;
      }
      const truth = classOf(label);
      this.#countsOf(answer).answered++;
      this.#countsOf(truth).labelled++;
      if (answer === truth) this.#countsOf(truth).right++;
    });
  }

  value(): number {
    if (this.#poisoned || this.#counts.size === 0) return Number.NaN;
    let sum = 0;
    for (const [, { right, answered, labelled }] of [...this.#counts].sort(([a], [b]) => a - b))
      sum += (2 * right) / (answered + labelled);
    return sum / this.#counts.size;
  }

  #countsOf(index: number) {
    const counts = this.#counts.get(index) ?? { right: 0, answered: 0, labelled: 0 };
    this.#counts.set(index, counts);
    return counts;
  }
}

function classOf(label: number | ClassRow): number {
  return typeof label === 'number' ? label : largestClass(label);
}
