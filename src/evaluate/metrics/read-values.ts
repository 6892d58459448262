import type { NumberTensor } from './metric-accumulator.ts';

/** Findings on targets of single values. */
export interface ValueFindings {
  readonly counted: number;
  readonly ignored: number;
  /** Variance of the targets: the squared error of predicting their mean. */
  readonly variance: number;
  /** Every output is in 0 to 1. */
  readonly withinUnit: boolean;
  /** Targets that count and are NaN or infinite. */
  readonly labelsNotFinite: number;
}

/** Reads labels that are one value for each value of the output, batch after batch. */
export class ValueReader {
  readonly #ignoreLabel: number | undefined;
  #counted = 0;
  #ignored = 0;
  #mean = 0;
  #squares = 0;
  #withinUnit = true;
  #labelsNotFinite = 0;

  constructor(ignoreLabel: number | undefined) {
    this.#ignoreLabel = ignoreLabel;
  }

  add(output: NumberTensor, labels: NumberTensor): void {
    for (let at = 0; at < labels.data.length; at++) {
      const target = labels.data[at]!;
      if (target === this.#ignoreLabel) {
        this.#ignored++;
        continue;
      }
      this.#counted++;
      if (!Number.isFinite(target)) this.#labelsNotFinite++;
      const shift = target - this.#mean;
      this.#mean += shift / this.#counted;
      this.#squares += shift * (target - this.#mean);
      const value = output.data[at]!;
      if (!(value >= 0 && value <= 1)) this.#withinUnit = false;
    }
  }

  findings(): ValueFindings {
    return {
      counted: this.#counted,
      ignored: this.#ignored,
      variance: this.#squares / this.#counted,
      withinUnit: this.#withinUnit,
      labelsNotFinite: this.#labelsNotFinite,
    };
  }
}
