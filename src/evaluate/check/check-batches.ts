import type { Tensor } from 'onnxruntime-node';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import { runRows } from '../batches/batch-results.ts';
import { checkLabels } from './check-labels.ts';
import { columnExtremes, isNanWord, type ColumnExtremes } from '../examine/column-extremes.ts';
import type { PreparedSet } from '../batches/prepared-set.ts';
import { numbersOf, type BatchRun } from '../batches/run-batches.ts';
import { runExamination } from '../examine/run-examination.ts';

type Run = Pick<BatchRun, 'core' | 'prepared' | 'spec' | 'weights'>;
type Column = PreparedSet['inputs'][number];

/** Most batches run; few eval sets have enough inputs to reach it. */
const batchesMax = 16;

/**
 * Runs the batches most likely to show errors: the first, the last if it has fewer rows, and for each input those with
 * its smallest and largest number and its first NaN. Labels are read on every row. Errors: those of `runExamination`;
 * `eval-label-mismatch`; `eval-input-mismatch` also for NaN that the graph does not handle.
 */
export async function checkBatches(run: Run): Promise<void> {
  const { prepared, spec } = run;
  const columns = prepared.inputs.map((column) => ({ column, extremes: columnExtremes(column) }));
  const batches = batchesToCheck(
    prepared,
    columns.map(({ extremes }) => extremes),
  );
  const { readings } = await runExamination({
    ...run,
    batches,
    reference: undefined,
    needsHalves: false,
    needsGroups: false,
  });
  checkLabels({ prepared, spec, readings });
  for (const { column, extremes } of columns)
    if (extremes.nanRow !== undefined) await refuseNan(run, column, extremes.nanRow);
}

function batchesToCheck({ rows, batchRows }: PreparedSet, extremes: readonly ColumnExtremes[]): number[] {
  const extremeRows = extremes
    .flatMap(({ nanRow, least, largest }) => [nanRow, least?.row, largest?.row])
    .filter((row) => row !== undefined);
  if (rows % batchRows !== 0) extremeRows.unshift(rows - 1);
  const numbers = new Set([0, ...extremeRows.map((row) => Math.floor(row / batchRows))]);
  return [...numbers].slice(0, batchesMax);
}

/**
 * A graph may take NaN for missing values. If NaN in the inputs is the only reason for NaN in its outputs, no weights
 * would help.
 */
async function refuseNan(run: Run, column: Column, row: number): Promise<void> {
  const { prepared, spec } = run;
  const without = { ...column, elements: withoutNan(column) };
  const [given, cleaned] = [
    await outputsWithNan(run, prepared, row),
    await outputsWithNan(run, withInput(prepared, without), row),
  ];
  const output = given.find((name) => !cleaned.includes(name));
  if (output === undefined) return;
  const tensor = quoteName(spec.inputs[column.input]!);
  throw new FirnError(
    'eval-input-mismatch',
    `Input ${quoteName(column.input)} is fed NaN, first in row ${row} (counted from 0) of ${tensor}, and ` +
      `output ${quoteName(output)} is NaN then, so no metric of it could be measured. ` +
      `Fill in what is missing in ${tensor}, or leave those rows out.`,
  );
}

/** Names of the outputs with a NaN in the batch of a row. */
async function outputsWithNan({ core, spec, weights }: Run, prepared: PreparedSet, row: number): Promise<string[]> {
  const { rows, batchRows } = prepared;
  const outputNames = [...new Set(spec.metrics.map(({ output }) => output))];
  const rowStart = row - (row % batchRows);
  const results: Readonly<Record<string, Tensor>> = await runRows(prepared, {
    rowStart,
    rowEnd: Math.min(rowStart + batchRows, rows),
    weights,
    outputNames,
  });
  const found: string[] = [];
  for (const name of outputNames) {
    const { data } = await numbersOf(core, name, results[name]);
    for (let at = 0; at < data.length; at++) {
      if (!Number.isNaN(data[at])) continue;
      found.push(name);
      break;
    }
  }
  return found;
}

function withInput(prepared: PreparedSet, column: Column): PreparedSet {
  return { ...prepared, inputs: prepared.inputs.map((each) => (each.input === column.input ? column : each)) };
}

/** Zero instead of NaN. */
function withoutNan({ dtype, elements }: Column): Column['elements'] {
  if (dtype === 'F32') return (elements as Float32Array).map((element) => (Number.isNaN(element) ? 0 : element));
  if (dtype === 'F64') return (elements as Float64Array).map((element) => (Number.isNaN(element) ? 0 : element));
  return (elements as Uint16Array).map((word) => (isNanWord(word) ? 0 : word));
}
