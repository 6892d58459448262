import { countElements } from '../../checkpoint/count-elements.ts';
import { labelForms, type ClassAxis, type LabelForm } from '../../checkpoint/quality/eval-set-spec.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { labelWords, shown, wholeShape, type Shaped } from './label-words.ts';
import type { NumberTensor } from './metric-accumulator.ts';

/** Layout of the positions' logits and labels in output and labels. */
export interface ClassLayout {
  readonly positions: number;
  readonly classCount: number;
  /** Elements from one class of a position to the next: 1 if classes are the last axis. */
  readonly classStride: number;
}

export interface LabelledLayout extends ClassLayout {
  readonly form: LabelForm;
}

/** The spec's options for labels of classes. */
export interface ClassReading {
  readonly labels?: LabelForm | undefined;
  readonly classAxis?: ClassAxis | undefined;
}

/** Index of the first logit of a position. */
export function firstLogit({ classCount, classStride }: ClassLayout, position: number): number {
  if (classStride === 1) return position * classCount;
  return Math.floor(position / classStride) * classCount * classStride + (position % classStride);
}

/**
 * Checks labels of classes against logits. Indices have the shape of the logits without the class axis (apart from
 * trailing ones), probabilities have the shape of the logits. If shapes are ambiguous and the spec does not decide, the
 * error asks which is meant. Errors: `eval-label-mismatch`.
 */
export function labelledLayout(logits: Shaped, labels: Shaped, reading: ClassReading): LabelledLayout {
  const { dims: logitDims } = logits;
  const { dims: labelDims } = labels;
  if (reading.labels === 'probabilities') {
    if (!sameDims(logitDims, labelDims))
      throw mismatch(
        `${labelWords(labels)} are probabilities by the spec ("labels": "probabilities"), and these have the ` +
          `shape of the logits, ${wholeShape(logitDims, labels)}.`,
      );
    return { ...classLayout(logitDims, reading.classAxis), form: 'probabilities' };
  }
  const last = lastAxisFits(logitDims, labelDims);
  const second =
    logitDims.length > 2 &&
    sameDims(withoutTrailingOnes([logitDims[0]!, ...logitDims.slice(2)]), withoutTrailingOnes(labelDims));
  if (last && second && reading.classAxis === undefined)
    throw mismatch(
      `${labelWords(labels)} fit an output of shape ${wholeShape(logitDims, labels)} in two ways: its last ` +
        'axis may be the classes, or its second. ' +
        'Say which with "classAxis": "last" or "classAxis": "second" in the metric.',
    );
  const axis = reading.classAxis ?? (second && !last ? 'second' : 'last');
  if (axis === 'last' ? last : second) return { ...classLayout(logitDims, axis), form: 'indices' };
  throw sameDims(withoutTrailingOnes(logitDims), withoutTrailingOnes(labelDims))
    ? ownShape(logitDims, labels, reading)
    : noFit(logitDims, labels);
}

/** Layout of the logits of each position; the last axis is that of the classes by default. */
export function classLayout(logitDims: readonly number[], classAxis: ClassAxis = 'last'): ClassLayout {
  if (classAxis === 'second' && logitDims.length < 2)
    throw mismatch(`An output of shape ${shown(logitDims)} has no second axis for the classes.`);
  const classCount = (classAxis === 'last' ? logitDims.at(-1) : logitDims[1]) ?? 1;
  const classStride = classAxis === 'last' ? 1 : countElements(logitDims.slice(2));
  return { positions: classCount === 0 ? 0 : countElements(logitDims) / classCount, classCount, classStride };
}

/** Requires that output and targets have one value each at the same places. Errors: `eval-label-mismatch`. */
export function requireSameValues(output: Shaped, labels: Shaped): void {
  if (sameDims(withoutTrailingOnes(output.dims), withoutTrailingOnes(labels.dims))) return;
  throw mismatch(
    `${labelWords(labels)} do not fit an output of shape ${wholeShape(output.dims, labels)}: targets have ` +
      'the shape of the output.',
  );
}

/** Requires as many values of the uploaded model as the output has. Errors: `eval-label-mismatch`. */
export function requireSameSize(
  { data }: NumberTensor,
  reference: ArrayLike<number> | undefined,
): asserts reference is ArrayLike<number> {
  if (reference?.length === data.length) return;
  throw mismatch('The output has another size than that of the uploaded model, so the two cannot be compared.');
}

function lastAxisFits(logitDims: readonly number[], labelDims: readonly number[]): boolean {
  const rows = logitDims.slice(0, -1);
  return (
    (logitDims.at(-1) ?? 1) > 1 &&
    (sameDims(rows, labelDims) || sameDims(withoutTrailingOnes(rows), withoutTrailingOnes(labelDims)))
  );
}

/**
 * Labels in the logits' own shape may be one-hot or soft classes, or a yes or no for each logit. The figures would be
 * far apart, so the error asks which.
 */
function ownShape(logitDims: readonly number[], labels: Shaped, { labels: form }: ClassReading): FirnError {
  const classCount = logitDims.at(-1) ?? 1;
  if (classCount === 1)
    return mismatch(
      `${labelWords(labels)} are one for each logit of an output of shape ${wholeShape(logitDims, labels)}: ` +
        'that is a yes or no. Use kind "binary-cross-entropy" or "binary-accuracy".',
    );
  const indices = `class indices have shape ${wholeShape(logitDims.slice(0, -1), labels)}`;
  if (form === labelForms[0])
    return mismatch(`${labelWords(labels)} are no indices for an output of that shape: ${indices}.`);
  return mismatch(
    `${labelWords(labels)} have the shape of the logits, which can mean two things. If each row holds the ` +
      'probabilities of one class each (one-hot, or soft), ' +
      'say "labels": "probabilities" in the spec; if each value is a yes or no of its own, use kind ' +
      `"binary-cross-entropy" or "binary-accuracy". Otherwise ${indices}.`,
  );
}

function noFit(logitDims: readonly number[], labels: Shaped): FirnError {
  const secondAxis =
    logitDims.length > 2
      ? ` (or ${wholeShape([logitDims[0]!, ...logitDims.slice(2)], labels)} where classes are the second axis)`
      : '';
  const wanted = wholeShape(logitDims.slice(0, -1), labels) + secondAxis;
  return mismatch(
    `${labelWords(labels)} do not fit an output of shape ${wholeShape(logitDims, labels)}: class indices ` +
      `have shape ${wanted}.`,
  );
}

function withoutTrailingOnes(dims: readonly number[]): readonly number[] {
  const end = dims.findLastIndex((dim) => dim !== 1) + 1;
  return dims.slice(0, end);
}

function sameDims(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((dim, axis) => dim === b[axis]);
}

function mismatch(message: string): FirnError {
  return new FirnError('eval-label-mismatch', message);
}
