import { quoteName } from '../../checkpoint/words/quote-name.ts';
import type { LabelColumn, NumberTensor } from './metric-accumulator.ts';

/** Output or labels for messages: the shape in a batch, and the source of labels. */
export type Shaped = Pick<NumberTensor, 'dims' | 'column'>;

/** Labels in their author's terms: `Labels "y" (I64 [192, 4])`, with the shape in the file, not that of a batch. */
export function labelWords(labels: Shaped): string {
  return labels.column === undefined
    ? `Labels of shape ${shown(labels.dims)}`
    : `Labels ${columnWords(labels, labels.column)}`;
}

/** The place of one of the labels, to be appended to it: ` in row 33 of "y" (I64 [192, 4])`. Rows count from 0. */
export function placeOfLabel(labels: Shaped, positionInBatch: number, positions: number): string {
  const { column, dims } = labels;
  if (column === undefined) return '';
  const perRow = Math.max(1, positions / (dims[0] ?? 1));
  const row = column.rowStart + Math.floor(positionInBatch / perRow);
  const within = perRow > 1 ? `position ${positionInBatch % perRow} of ` : '';
  return ` at ${within}row ${row} (counted from 0) of ${columnWords(labels, column)}`;
}

function columnWords(labels: Shaped, { name, dtype }: LabelColumn): string {
  return `${quoteName(name)} (${dtype} ${wholeShape(labels.dims, labels)})`;
}

/** The shape over all rows of a tensor with this shape in a batch; the number of rows comes from the labels. */
export function wholeShape(dims: readonly number[], { dims: labelDims, column }: Shaped): string {
  const isBatch = column !== undefined && dims.length > 0 && dims[0] === labelDims[0];
  return shown(isBatch ? [column.rows, ...dims.slice(1)] : dims);
}

export function shown(dims: readonly number[]): string {
  return `[${dims.join(', ')}]`;
}
