import type { NumberTensor } from '../metrics/metric-accumulator.ts';
import { elementReader, type FedColumn } from './column-extremes.ts';

/** Positions that look like padding, and whose label counts all the same. */
export interface PaddedLabels {
  readonly label: number;
  readonly side: 'start' | 'end';
  /** Rows that end, or start, in a run of it. */
  readonly rows: number;
  /** Share of all positions, ignored ones included. */
  readonly share: number;
  /** The input whose rows show the padding; absent where the labels themselves do. */
  readonly input?: string;
}

export interface LabelColumns {
  /** Class indices, [rows, positions]. */
  readonly labels: NumberTensor;
  readonly ignoreLabel?: number | undefined;
  readonly inputs: readonly (FedColumn & { readonly input: string })[];
}

/** A single label at the end of a row says nothing. */
const runLengthMin = 2;
/** Fewer rows may be chance, and less than this share of them hardly moves a figure. */
const paddedRowsMin = { rows: 4, share: 0.1 };
/**
 * Rows that are cut anywhere end in a value about as often as it stands anywhere. Padding ends rows, and stands
 * hardly anywhere else: in so many times fewer positions, by share.
 */
const oftenerAtEnds = 5;
/** So much of the padding of an input has to carry the one label, by rows. */
const sameLabelShare = 0.9;

/**
 * Finds padding whose labels count: many rows end in a run of one label that is rare elsewhere, or of an input value
 * that is, while the label stays the same (a class that real positions have, too). Rows of one value throughout tell
 * nothing. Undefined where nothing looks padded. Reads each column up to twice.
 */
export function findPaddedLabels(columns: LabelColumns): PaddedLabels | undefined {
  const { labels, ignoreLabel, inputs } = columns;
  if (labels.dims.length !== 2) return undefined;
  const [rows, positions] = labels.dims as [number, number];
  for (const side of ['end', 'start'] as const) {
    const column = { rows, positions, side };
    const labelRuns = edgeRuns({ ...column, read: (at) => labels.data[at]! });
    const own = padding(labelRuns);
    if (own !== undefined && own.value !== ignoreLabel)
      return { label: own.value, side, rows: own.rows.length, share: shareOf(own.rows, labelRuns) };
    for (const { input, rowShape, dtype, elements } of inputs) {
      if (rowShape.length !== 1 || rowShape[0] !== positions) continue;
      const runs = edgeRuns({ ...column, read: elementReader(dtype, elements) });
      const padded = padding(runs);
      if (padded === undefined) continue;
      const label = commonest(padded.rows.map((row) => labelRuns.value[row]!));
      // Labels that are the next tokens are one position ahead of the inputs.
      const labelled = padded.rows.filter(
        (row) => labelRuns.value[row] === label && labelRuns.length[row]! >= runs.length[row]! - 1,
      );
      if (label === ignoreLabel || labelled.length < sameLabelShare * padded.rows.length) continue;
      return { label, side, rows: labelled.length, share: shareOf(labelled, labelRuns, runs), input };
    }
  }
  return undefined;
}

/** Of each row the value at its edge, and how many positions hold it one after the other. */
interface EdgeRuns extends Column {
  readonly value: readonly number[];
  readonly length: readonly number[];
}

interface Column {
  readonly rows: number;
  readonly positions: number;
  readonly side: PaddedLabels['side'];
  readonly read: (at: number) => number;
}

function edgeRuns(column: Column): EdgeRuns {
  const [value, length]: [number[], number[]] = [[], []];
  for (let row = 0; row < column.rows; row++) {
    const edge = readFromEdge(column, row, 0);
    let end = 1;
    while (end < column.positions && readFromEdge(column, row, end) === edge) end++;
    value.push(edge);
    length.push(end);
  }
  return { ...column, value, length };
}

/** The element so many positions away from the edge. */
function readFromEdge({ positions, side, read }: Column, row: number, distance: number): number {
  return read(row * positions + (side === 'end' ? positions - 1 - distance : distance));
}

/** The value that many rows have a run of at their edge, and few positions elsewhere; and these rows. */
function padding(runs: EdgeRuns): { readonly value: number; readonly rows: readonly number[] } | undefined {
  const inRuns = runs.length.flatMap((length, row) => (length >= runLengthMin && length < runs.positions ? [row] : []));
  if (inRuns.length < paddedRowsMin.rows) return undefined;
  const value = commonest(inRuns.map((row) => runs.value[row]!));
  const rows = inRuns.filter((row) => runs.value[row] === value);
  const rowShare = rows.length / runs.rows;
  if (rows.length < paddedRowsMin.rows || rowShare < paddedRowsMin.share) return undefined;
  const elsewhere = outsideRuns(runs, new Set(rows), value);
  // In a mask, padding is the zeros.
  if (elsewhere.otherValues === 1 && value !== 0) return undefined;
  return elsewhere.share * oftenerAtEnds <= rowShare ? { value, rows } : undefined;
}

/** How often a value stands outside the runs of these rows, and how many other values do (2 stands for more). */
function outsideRuns(
  runs: EdgeRuns,
  padded: ReadonlySet<number>,
  value: number,
): { readonly share: number; readonly otherValues: number } {
  const others = new Set<number>();
  let [positions, same] = [0, 0];
  for (let row = 0; row < runs.rows; row++)
    for (let at = padded.has(row) ? runs.length[row]! : 0; at < runs.positions; at++) {
      const element = readFromEdge(runs, row, at);
      positions++;
      if (element === value) same++;
      else if (others.size < 2) others.add(element);
    }
  return { share: same / positions, otherValues: others.size };
}

function shareOf(rows: readonly number[], labels: EdgeRuns, input: EdgeRuns = labels): number {
  const padded = rows.reduce((sum, row) => sum + Math.min(labels.length[row]!, input.length[row]!), 0);
  return padded / (labels.rows * labels.positions);
}

function commonest(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}
