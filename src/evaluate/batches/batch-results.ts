import type { Tensor } from 'onnxruntime-node';
import { countElements } from '../../checkpoint/count-elements.ts';
import type { GramSums } from './gram-sums.ts';
import type { PreparedSet } from './prepared-set.ts';
import { runFailure } from '../runtime-failure.ts';
import { runtimeTensor } from './weight-tensors.ts';

/** Batches that are run in a session with more outputs, which are summed. */
export interface GramsBeside {
  /** Of a graph that computes the requested outputs as the prepared one does, and those of `sums`. */
  readonly session: PreparedSet['session'];
  readonly sums: GramSums;
  /** By number. */
  readonly batches: ReadonlySet<number>;
}

export interface ResultsRequest {
  /** From {@link weightTensors}. */
  readonly weights: Readonly<Record<string, Tensor>>;
  readonly outputNames: readonly string[];
  /** Most batches to run, spread evenly over the set, the first among them; all when absent. */
  readonly batchesMax?: number | undefined;
  /** These batches, by number, and no others. */
  readonly batches?: readonly number[] | undefined;
  /** Only batches of the set's first half: those with an even number. */
  readonly firstHalf?: boolean | undefined;
  readonly grams?: GramsBeside | undefined;
}

/** The outputs of one batch, numbered from 0 in the set: rows `rowStart` to `rowEnd`, exclusive. */
export interface BatchResults {
  readonly batch: number;
  readonly rowStart: number;
  readonly rowEnd: number;
  readonly results: Readonly<Record<string, Tensor>>;
}

/**
 * Runs the batches in order, each when it is requested. Blocks the thread while one runs. Errors:
 * `eval-input-mismatch`, `eval-memory`, `eval-device`.
 */
export async function* batchResults(prepared: PreparedSet, request: ResultsRequest): AsyncGenerator<BatchResults> {
  const { weights, outputNames, grams } = request;
  for (const batch of request.batches ?? spreadBatches(prepared, request)) {
    const rowStart = batch * prepared.batchRows;
    const rowEnd = Math.min(rowStart + prepared.batchRows, prepared.rows);
    const rows = { rowStart, rowEnd, weights };
    if (grams?.batches.has(batch) === true) {
      const { session, sums } = grams;
      const names = [...new Set([...outputNames, ...sums.outputNames])];
      const results = await runRows({ ...prepared, session }, { ...rows, outputNames: names });
      sums.add(results);
      yield { batch, rowStart, rowEnd, results };
    } else {
      yield { batch, rowStart, rowEnd, results: await runRows(prepared, { ...rows, outputNames }) };
    }
  }
}

/** Numbers of the batches that a request runs, if it names none. */
export function spreadBatches(
  { rows, batchRows }: PreparedSet,
  { batchesMax = Infinity, firstHalf = false }: Pick<ResultsRequest, 'batchesMax' | 'firstHalf'>,
): number[] {
  const stride = firstHalf ? 2 : 1;
  const batchCount = Math.ceil(rows / (stride * batchRows));
  const runCount = Math.min(batchCount, batchesMax);
  return Array.from({ length: runCount }, (_, run) => Math.floor((run * batchCount) / runCount) * stride);
}

export interface RowsRequest extends Pick<ResultsRequest, 'weights' | 'outputNames'> {
  readonly rowStart: number;
  /** Exclusive. */
  readonly rowEnd: number;
}

/** Runs some rows as one batch. Blocks the thread. Errors: those of {@link batchResults}. */
export async function runRows(
  { session, device, inputs }: Pick<PreparedSet, 'session' | 'device' | 'inputs'>,
  { rowStart, rowEnd, weights, outputNames }: RowsRequest,
): Promise<Readonly<Record<string, Tensor>>> {
  const feeds: Record<string, Tensor> = { ...weights };
  for (const { input, dtype, rowShape, elements } of inputs) {
    const rowElements = countElements(rowShape);
    feeds[input] = runtimeTensor(dtype, elements.subarray(rowStart * rowElements, rowEnd * rowElements), [
      rowEnd - rowStart,
      ...rowShape,
    ]);
  }
  try {
    return (await session.run(feeds, outputNames)) as Readonly<Record<string, Tensor>>;
  } catch (cause) {
    throw runFailure(cause, device);
  }
}
