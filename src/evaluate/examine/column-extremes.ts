import type { FeedableDtype } from '../../graph/evaluation-graph.ts';
import type { FeedElements } from '../batches/feed-elements.ts';

/** An element of an input column and its row, which counts from 0. */
export interface ColumnElement {
  readonly value: number;
  readonly row: number;
}

/** What the elements of an input column are like, over all rows. */
export interface ColumnExtremes {
  /** Elements that are NaN or infinite. */
  readonly notFinite: number;
  /** Row of the first NaN. */
  readonly nanRow?: number;
  /** Of columns of whole numbers that are not empty. */
  readonly least?: ColumnElement;
  readonly largest?: ColumnElement;
}

export interface FedColumn {
  readonly dtype: FeedableDtype;
  readonly elements: FeedElements;
  readonly rowShape: readonly number[];
}

/** Reads every element once. Whole numbers beyond 2^53 lose their low bits. */
export function columnExtremes({ dtype, elements, rowShape }: FedColumn): ColumnExtremes {
  const rowElements = Math.max(
    1,
    rowShape.reduce((product, dim) => product * dim, 1),
  );
  const rowOf = (at: number): number => Math.floor(at / rowElements);
  if (dtype === 'F32' || dtype === 'F64')
    return notNumbers(elements as Float32Array, Number.isNaN, Number.isFinite, rowOf);
  if (dtype === 'F16') return notNumbers(elements as Uint16Array, isNanWord, isFiniteWord, rowOf);
  return { notFinite: 0, ...wholeNumbers(dtype, elements, rowOf) };
}

function notNumbers(
  elements: ArrayLike<number>,
  isNan: (element: number) => boolean,
  isFinite: (element: number) => boolean,
  rowOf: (at: number) => number,
): ColumnExtremes {
  let notFinite = 0;
  let nanAt: number | undefined;
  for (let at = 0; at < elements.length; at++) {
    if (isFinite(elements[at]!)) continue;
    notFinite++;
    if (nanAt === undefined && isNan(elements[at]!)) nanAt = at;
  }
  return { notFinite, ...(nanAt !== undefined && { nanRow: rowOf(nanAt) }) };
}

/** Half floats travel as words: the exponent of what is not finite is all ones, and a NaN has bits below it. */
const exponentBits = 0x7c00;
const valueBits = 0x7fff;

function isFiniteWord(word: number): boolean {
  return (word & exponentBits) !== exponentBits;
}

/** Whether a half float is NaN. */
export function isNanWord(word: number): boolean {
  return (word & valueBits) > exponentBits;
}

function wholeNumbers(
  dtype: FeedableDtype,
  elements: FeedElements,
  rowOf: (at: number) => number,
): Pick<ColumnExtremes, 'least' | 'largest'> {
  const count = elements.length;
  if (count === 0) return {};
  const read = elementReader(dtype, elements);
  let [least, largest] = [0, 0];
  let [leastValue, largestValue] = [read(0), read(0)];
  for (let at = 1; at < count; at++) {
    const value = read(at);
    if (value < leastValue) [least, leastValue] = [at, value];
    if (value > largestValue) [largest, largestValue] = [at, value];
  }
  return { least: { value: leastValue, row: rowOf(least) }, largest: { value: largestValue, row: rowOf(largest) } };
}

const wordRange = 2 ** 32;

/**
 * Reads single elements; half floats as their words. 64-bit integers are read by halves: a bigint for each would take
 * many times as long.
 */
export function elementReader(dtype: FeedableDtype, elements: FeedElements): (at: number) => number {
  if (dtype !== 'I64' && dtype !== 'U64') return (at) => (elements as Int32Array)[at]!;
  const { buffer, byteOffset, length } = elements;
  const low = new Uint32Array(buffer, byteOffset, 2 * length);
  const high = dtype === 'I64' ? new Int32Array(buffer, byteOffset, 2 * length) : low;
  return (at) => high[2 * at + 1]! * wordRange + low[2 * at]!;
}
