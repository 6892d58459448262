import { FirnError } from '../../checkpoint/firn-error.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import { forEachPosition, type LabelReading } from './class-labels.ts';
import { classCrossEntropies, type ClassRow } from './cross-entropy.ts';
import { firstLogit, labelledLayout, type ClassLayout } from './label-layout.ts';
import type { LogSums } from './log-sums.ts';
import type { NumberTensor } from './metric-accumulator.ts';
import { TopChoices, type TopChoiceFindings } from './top-choices.ts';

/**
 * How far the sum of a position's probabilities may be from one: half floats are this far. Logits come this close by
 * chance in one of thousands of positions.
 */
const sumTolerance = 2e-3;

/**
 * Checks whether logits look like a softmax: each position's values are in 0 to 1 and add up to one. Logits hardly ever
 * do, and a softmax of probabilities gives a figure that looks plausible but is wrong.
 */
export class ProbabilityCheck {
  readonly #output: string;
  #positions = 0;
  #likely = true;
  #withinUnit = true;

  constructor(output: string) {
    this.#output = output;
  }

  add(output: NumberTensor, layout: ClassLayout): void {
    if (layout.classCount < 2) this.#likely = false;
    for (let at = 0; this.#withinUnit && at < output.data.length; at++)
      this.#withinUnit = output.data[at]! >= 0 && output.data[at]! <= 1;
    for (let position = 0; this.#likely && position < layout.positions; position++) {
      const { classCount, classStride: stride } = layout;
      this.#likely = isDistribution({ data: output.data, start: firstLogit(layout, position), classCount, stride });
      this.#positions++;
    }
  }

  /** Whether all values were in 0 to 1, like those of a sigmoid. */
  get withinUnit(): boolean {
    return this.#withinUnit;
  }

  /** Whether every position was a distribution. */
  get likely(): boolean {
    return this.#likely && this.#positions > 0;
  }

  /** Throws `eval-label-mismatch` if every position was a distribution. */
  end(): void {
    if (!this.likely) return;
    throw new FirnError(
      'eval-label-mismatch',
      `Output ${quoteName(this.#output)} holds probabilities (each position adds up to 1), and the metric ` +
        'wants logits: softmax would be taken twice. ' +
        'Export the graph without its last softmax.',
    );
  }
}

function isDistribution({ data, start, classCount, stride }: ClassRow): boolean {
  let sum = 0;
  for (let at = 0; at < classCount; at++) {
    const value = data[start + at * stride]!;
    if (!(value >= 0)) return false;
    sum += value;
  }
  return Math.abs(sum - 1) <= sumTolerance;
}

/** Findings on labels of classes and their logits. */
export interface ClassFindings {
  readonly counted: number;
  readonly ignored: number;
  readonly classCount: number;
  /** For labels that are indices. */
  readonly topChoices?: TopChoiceFindings;
  readonly shifts?: { readonly asGiven: number; readonly later: number; readonly earlier: number };
}

/**
 * Reads the labels of classes, batch after batch: how many count, and whether they would fit better if shifted by one
 * position.
 */
export class ClassReader {
  readonly #reading: LabelReading;
  #counted = 0;
  #ignored = 0;
  #layout: ClassLayout = { positions: 0, classCount: 0, classStride: 1 };
  readonly #topChoices = new TopChoices();
  readonly #asGiven = new Mean();
  readonly #later = new Mean();
  readonly #earlier = new Mean();

  constructor(reading: LabelReading) {
    this.#reading = reading;
  }

  /** Errors: `eval-label-mismatch`. */
  add(output: NumberTensor, labels: NumberTensor, logSums: LogSums): void {
    const layout = labelledLayout(output, labels, this.#reading);
    this.#layout = layout;
    let counted = 0;
    forEachPosition(output, labels, this.#reading, ({ row, label }) => {
      counted++;
      if (typeof label === 'number') this.#topChoices.add(row, label);
    });
    this.#counted += counted;
    this.#ignored += layout.positions - counted;
    if (layout.form === 'indices' && labels.dims.length > 1 && labels.dims.at(-1)! > 1)
      this.#addShifted(output, labels, { layout, logSums });
  }

  /** Compares each position with its own label and those of its neighbours in the sequence, if these count. */
  #addShifted(
    output: NumberTensor,
    labels: NumberTensor,
    { layout, logSums }: { readonly layout: ClassLayout; readonly logSums: LogSums },
  ): void {
    const { positions, classCount, classStride: stride } = layout;
    const length = labels.dims.at(-1)!;
    for (let position = 0; position < positions; position++) {
      const at = position % length;
      const neighbours: [Mean, number, boolean][] = [
        [this.#asGiven, position, true],
        [this.#later, position + 1, at < length - 1],
        [this.#earlier, position - 1, at > 0],
      ];
      const found = neighbours.filter(([, where, inside]) => inside && this.#counts(labels.data[where]!, classCount));
      const row = { data: output.data, start: firstLogit(layout, position), classCount, stride };
      const values = classCrossEntropies(
        row,
        found.map(([, where]) => labels.data[where]!),
        logSums.of(row),
      );
      found.forEach(([mean], each) => mean.add(values[each]!));
    }
  }

  #counts(label: number, classCount: number): boolean {
    return label !== this.#reading.ignoreLabel && label >= 0 && label < classCount;
  }

  /** Layout of the last batch added. */
  get layout(): ClassLayout {
    return this.#layout;
  }

  findings(): ClassFindings {
    const shifts = { asGiven: this.#asGiven.value(), later: this.#later.value(), earlier: this.#earlier.value() };
    const topChoices = this.#topChoices.findings();
    return {
      counted: this.#counted,
      ignored: this.#ignored,
      classCount: this.#layout.classCount,
      ...(topChoices !== undefined && { topChoices }),
      ...(!Number.isNaN(shifts.asGiven) && { shifts }),
    };
  }
}

/** A mean; NaN without values. */
class Mean {
  #sum = 0;
  #count = 0;

  add(value: number): void {
    this.#sum += value;
    this.#count++;
  }

  value(): number {
    return this.#sum / this.#count;
  }
}
