import { requireSameSize, requireSameValues } from './label-layout.ts';
import type { MetricAccumulator, MetricBatch } from './metric-accumulator.ts';

/** The pairs of values of a batch that count. */
type ValuePairs = (batch: MetricBatch) => Iterable<readonly [number, number]>;

/** Mean of the squared differences of pairs. */
class MeanSquaredDifference implements MetricAccumulator {
  readonly #pairs: ValuePairs;
  #sum = 0;
  #count = 0;

  constructor(pairs: ValuePairs) {
    this.#pairs = pairs;
  }

  add(batch: MetricBatch): void {
    for (const [value, target] of this.#pairs(batch)) {
      this.#sum += (value - target) * (value - target);
      this.#count++;
    }
  }

  value(): number {
    return this.#sum / this.#count;
  }
}

/** Mean of the squared differences between output and labels. */
export function meanSquaredError(ignoreLabel: number | undefined): MetricAccumulator {
  return new MeanSquaredDifference((batch) => valuePairs(batch, ignoreLabel));
}

/**
 * Mean of the squared differences between the output and the uploaded model's; labels, if any, only mark values that do
 * not count.
 */
export function meanSquaredDeviation(ignoreLabel: number | undefined): MetricAccumulator {
  return new MeanSquaredDifference((batch) => referencePairs(batch, ignoreLabel));
}

/**
 * Pearson's correlation of output and labels over all counted values, by running co-moments (Welford); NaN if either is
 * constant.
 */
export class PearsonCorrelation implements MetricAccumulator {
  readonly #ignoreLabel: number | undefined;
  #count = 0;
  #valueMean = 0;
  #targetMean = 0;
  #valueSquares = 0;
  #targetSquares = 0;
  #products = 0;

  constructor(ignoreLabel: number | undefined) {
    this.#ignoreLabel = ignoreLabel;
  }

  add(batch: MetricBatch): void {
    for (const [value, target] of valuePairs(batch, this.#ignoreLabel)) {
      this.#count++;
      const valueShift = value - this.#valueMean;
      const targetShift = target - this.#targetMean;
      this.#valueMean += valueShift / this.#count;
      this.#targetMean += targetShift / this.#count;
      this.#valueSquares += valueShift * (value - this.#valueMean);
      this.#targetSquares += targetShift * (target - this.#targetMean);
      this.#products += valueShift * (target - this.#targetMean);
    }
  }

  value(): number {
    return this.#products / Math.sqrt(this.#valueSquares * this.#targetSquares);
  }
}

function* valuePairs(
  { output, labels }: MetricBatch,
  ignoreLabel: number | undefined,
): Generator<readonly [number, number]> {
  requireSameValues(output, labels!);
  for (let at = 0; at < output.data.length; at++) {
    const target = labels!.data[at]!;
    if (target !== ignoreLabel) yield [output.data[at]!, target];
  }
}

function* referencePairs(
  { output, labels, reference }: MetricBatch,
  ignoreLabel: number | undefined,
): Generator<readonly [number, number]> {
  requireSameSize(output, reference);
  if (labels !== undefined) requireSameValues(output, labels);
  for (let at = 0; at < output.data.length; at++) {
    if (labels === undefined || labels.data[at] !== ignoreLabel) yield [output.data[at]!, reference[at]!];
  }
}
