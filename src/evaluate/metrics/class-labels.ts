import { FirnError } from '../../checkpoint/firn-error.ts';
import type { ClassRow } from './cross-entropy.ts';
import { firstLogit, labelledLayout, type ClassReading } from './label-layout.ts';
import { placeOfLabel } from './label-words.ts';
import type { NumberTensor } from './metric-accumulator.ts';

/** The spec's options for classes and for labels that do not count. */
export interface LabelReading extends ClassReading {
  readonly ignoreLabel?: number | undefined;
}

/** A position that counts: its logits, and the class its label names, or the probabilities its label gives. */
export interface LabelledPosition {
  readonly row: ClassRow;
  readonly label: number | ClassRow;
}

/** The usual label in segmentation data sets for pixels that do not count. */
const segmentationMask = 255;
/** How far the sum of a position's probabilities may be from one: half floats are this far. */
const probabilitySumTolerance = 5e-3;

/** Calls `visit` with every position that counts, in the order of the labels. Errors: `eval-label-mismatch`. */
export function forEachPosition(
  output: NumberTensor,
  labels: NumberTensor,
  reading: LabelReading,
  visit: (position: LabelledPosition) => void,
): void {
  const layout = labelledLayout(output, labels, reading);
  const { positions, classCount, classStride, form } = layout;
  const place = (position: number) => placeOfLabel(labels, position, positions);
  for (let position = 0; position < positions; position++) {
    const start = firstLogit(layout, position);
    const row = { data: output.data, start, classCount, stride: classStride };
    if (form === 'probabilities') {
      const target = { ...row, data: labels.data };
      if (isIgnored(target, reading.ignoreLabel)) continue;
      requireProbabilities(target, () => place(position));
      visit({ row, label: target });
    } else {
      const label = labels.data[position]!;
      if (label === reading.ignoreLabel) continue;
      requireClass(label, classCount, () => place(position));
      visit({ row, label });
    }
  }
}

function isIgnored({ data, start, classCount, stride }: ClassRow, ignoreLabel: number | undefined): boolean {
  if (ignoreLabel === undefined) return false;
  for (let at = 0; at < classCount; at++) if (data[start + at * stride] !== ignoreLabel) return false;
  return true;
}

function requireProbabilities({ data, start, classCount, stride }: ClassRow, place: () => string): void {
  let sum = 0;
  for (let at = 0; at < classCount; at++) {
    const share = data[start + at * stride]!;
    if (!(share >= 0 && share <= 1)) throw mismatch(`A label of ${share}${place()} is no probability (0 to 1).`);
    sum += share;
  }
  if (Math.abs(sum - 1) > probabilitySumTolerance)
    throw mismatch(
      `Labels that are probabilities add up to 1 at each position; some add up to ${sum.toPrecision(6)}, the ` +
        `first${place() || ' of the batch'}.`,
    );
}

function requireClass(label: number, classCount: number, place: () => string): void {
  if (Number.isInteger(label) && label >= 0 && label < classCount) return;
  const hint =
    label < 0 || label === segmentationMask
      ? ` If it marks positions that do not count, say "ignoreLabel": ${label} in the spec.`
      : '';
  throw mismatch(
    `Label ${label}${place()} is not one of the ${classCount} classes of the output (0 to ${classCount - 1}).${hint}`,
  );
}

function mismatch(message: string): FirnError {
  return new FirnError('eval-label-mismatch', message);
}
