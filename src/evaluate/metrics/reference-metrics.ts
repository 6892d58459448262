import { FirnError } from '../../checkpoint/firn-error.ts';
import { forEachPosition, type LabelReading } from './class-labels.ts';
import { binaryKlDivergence, klDivergence, largestClass, type ClassRow } from './cross-entropy.ts';
import { classLayout, firstLogit, requireSameSize } from './label-layout.ts';
import { shown } from './label-words.ts';
import type { LogSums } from './log-sums.ts';
import type { MetricAccumulator, MetricBatch } from './metric-accumulator.ts';

/** The contribution of one position of the uploaded model and of this one to a mean. `from` is the uploaded model's. */
interface PairScore {
  classes(from: ClassRow, to: ClassRow, logSums: LogSums): number;
  binary(from: number, to: number): number;
}

const divergence: PairScore = {
  classes: (from, to, logSums) => klDivergence(from, to, logSums.of(from), logSums.of(to)),
  binary: binaryKlDivergence,
};
const sameChoice: PairScore = {
  classes: (from, to) => {
    const [ours, theirs] = [largestClass(from), largestClass(to)];
    return ours < 0 || theirs < 0 ? Number.NaN : Number(ours === theirs);
  },
  binary: (from, to) => (Number.isNaN(from) || Number.isNaN(to) ? Number.NaN : Number(from > 0 === to > 0)),
};

/**
 * Mean over positions of a comparison with the uploaded model; labels, if any, only mark positions that do not count.
 */
class MeanPairScore implements MetricAccumulator {
  readonly #reading: LabelReading;
  readonly #score: PairScore;
  #sum = 0;
  #count = 0;

  constructor(reading: LabelReading, score: PairScore) {
    this.#reading = reading;
    this.#score = score;
  }

  add({ output, labels, reference, logSums }: MetricBatch): void {
    requireSameSize(output, reference);
    if (labels !== undefined)
      return forEachPosition(output, labels, this.#reading, ({ row }) => this.#add(row, reference, logSums));
    if (output.dims.length > 3 && this.#reading.classAxis === undefined)
      throw new FirnError(
        'eval-label-mismatch',
        `An output of shape ${shown(output.dims)} may have its classes on the last axis or on the second. ` +
          'Say which with "classAxis": "last" or "classAxis": "second" in the metric.',
      );
    const layout = classLayout(output.dims, this.#reading.classAxis);
    const { classCount, classStride: stride } = layout;
    for (let position = 0; position < layout.positions; position++) {
      this.#add({ data: output.data, start: firstLogit(layout, position), classCount, stride }, reference, logSums);
    }
  }

  value(): number {
    return this.#sum / this.#count;
  }

  #add(row: ClassRow, reference: ArrayLike<number>, logSums: LogSums): void {
    const { start, classCount, data } = row;
    this.#sum +=
      classCount === 1
        ? this.#score.binary(reference[start]!, data[start]!)
        : this.#score.classes({ ...row, data: reference }, row, logSums);
    this.#count++;
  }
}

/** Mean divergence from the uploaded model's distribution to this one's, in nats. */
export function meanKlDivergence(reading: LabelReading): MetricAccumulator {
  return new MeanPairScore(reading, divergence);
}

/** Share of positions with the same top choice as the uploaded model. */
export function agreement(reading: LabelReading): MetricAccumulator {
  return new MeanPairScore(reading, sameChoice);
}
