import type { MetricAccumulator, MetricBatch } from './metric-accumulator.ts';

/**
 * The mean of an output that is itself a loss (a scalar, or one value a row or token), each batch weighted by its rows.
 */
export class LossMetric implements MetricAccumulator {
  #sum = 0;
  #rows = 0;

  add({ rows, output }: MetricBatch): void {
    let sum = 0;
    for (let at = 0; at < output.data.length; at++) sum += output.data[at]!;
    this.#sum += (sum / output.data.length) * rows;
    this.#rows += rows;
  }

  value(): number {
    return this.#sum / this.#rows;
  }
}
