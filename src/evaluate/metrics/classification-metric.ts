import { FirnError } from '../../checkpoint/firn-error.ts';
import { binaryCrossEntropy, classCrossEntropy, largestClass, type LogitRow } from './cross-entropy.ts';
import { labelLayout } from './label-layout.ts';
import type { MetricAccumulator, MetricBatch } from './metric-accumulator.ts';

export type ClassificationKind = 'cross-entropy' | 'accuracy';

/** Scores of one counted position: `classes` where the label is a class index, `binary` where it is a target for one logit. */
interface Score {
  classes(row: LogitRow, label: number): number;
  binary(logit: number, target: number): number;
}

const crossEntropy: Score = { classes: classCrossEntropy, binary: binaryCrossEntropy };
const hit: Score = { classes: classHit, binary: binaryHit };

/**
 * Mean cross-entropy (from logits, in nats) or the share of right answers, over the positions whose label is not the ignored one. Binary answers are right when logit > 0 agrees with target > 0.5.
 */
export class ClassificationMetric implements MetricAccumulator {
  readonly #score: Score;
  readonly #ignoreLabel: number | undefined;
  #sum = 0;
  #count = 0;

  constructor(kind: ClassificationKind, ignoreLabel: number | undefined) {
    this.#score = kind === 'accuracy' ? hit : crossEntropy;
    this.#ignoreLabel = ignoreLabel;
  }

  add({ output, labels }: MetricBatch): void {
    const { positions, classCount } = labelLayout(output.dims, labels!.dims);
    for (let position = 0; position < positions; position++) {
      const label = labels!.data[position]!;
      if (label === this.#ignoreLabel) continue;
      this.#sum += classCount === 1 ? this.#binary(output.data[position]!, label) : this.#classes(output.data, position, { classCount, label });
      this.#count++;
    }
  }

  value(): number {
    return this.#sum / this.#count;
  }

  #classes(data: ArrayLike<number>, position: number, { classCount, label }: { classCount: number; label: number }): number {
    if (!Number.isInteger(label) || label < 0 || label >= classCount) {
      throw new FirnError('eval-label-mismatch', `Label ${label} is not one of the ${classCount} classes of the output.`);
    }
    return this.#score.classes({ data, start: position * classCount, classCount }, label);
  }

  #binary(logit: number, target: number): number {
    if (!(target >= 0 && target <= 1)) throw new FirnError('eval-label-mismatch', `Label ${target} is no binary target (0 to 1).`);
    return this.#score.binary(logit, target);
  }
}

function classHit(row: LogitRow, label: number): number {
  const best = largestClass(row);
  return best < 0 ? Number.NaN : Number(best === label);
}

function binaryHit(logit: number, target: number): number {
  return Number.isNaN(logit) ? Number.NaN : Number(logit > 0 === target > 0.5);
}
