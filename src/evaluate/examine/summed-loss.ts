import { FirnError } from '../../checkpoint/firn-error.ts';
import { baselineMagnitudeMin } from '../../checkpoint/quality/quality.ts';
import { runRows } from '../batches/batch-results.ts';
import type { NumberTensor } from '../metrics/metric-accumulator.ts';
import { numbersOf, type BatchRun } from '../batches/run-batches.ts';

/** A loss that the graph computes, on the first batch and on each half of its rows. */
export interface LossOfHalves {
  readonly whole: number;
  readonly halves: readonly [first: number, second: number];
}

/** How far the halves of a sum may be from adding up to the whole: rounding in float32, or in half floats. */
const additionTolerance = 1e-4;
/**
 * Least share of the whole in each half. If nothing counts in one half, a mean over the positions that count adds up
 * too.
 */
const halfShareMin = 1e-3;

/**
 * Whether the halves add up to the whole, like those of a sum. A mean is between the means of its halves, whatever
 * their weights, so it never adds up. A loss near zero, or a half without a loss, proves nothing.
 */
export function isSum({ whole, halves }: LossOfHalves): boolean {
  const magnitude = Math.abs(whole);
  if (!Number.isFinite(whole) || magnitude < baselineMagnitudeMin) return false;
  if (!halves.every((half) => half / whole > halfShareMin)) return false;
  return Math.abs(halves[0] + halves[1] - whole) <= additionTolerance * magnitude;
}

/**
 * Runs the first batch in two halves, and returns the losses that are sums over rows, by output. `outputs` are the
 * losses of the whole batch. Empty if the graph takes a fixed number of rows, or cannot be run on half of them; outputs
 * with a value for each row are left out. Errors: `eval-memory`, `graph-invalid`.
 */
export async function summedLosses(
  run: Pick<BatchRun, 'core' | 'prepared' | 'weights'>,
  outputs: ReadonlyMap<string, NumberTensor>,
): Promise<Map<string, LossOfHalves>> {
  const { rows, batchRows, rowsFixed } = run.prepared;
  const rowEnd = Math.min(rows, batchRows);
  const summed = new Map<string, LossOfHalves>();
  if (outputs.size === 0 || rowsFixed || rowEnd < 2) return summed;
  const middle = Math.ceil(rowEnd / 2);
  const first = await lossesOf(run, [...outputs.keys()], 0, middle);
  const second = await lossesOf(run, [...outputs.keys()], middle, rowEnd);
  for (const [name, output] of outputs) {
    const halves = [first?.get(name), second?.get(name)];
    if (halves.some((half) => half?.data.length !== output.data.length)) continue;
    const loss: LossOfHalves = { whole: meanOf(output), halves: [meanOf(halves[0]!), meanOf(halves[1]!)] };
    if (isSum(loss)) summed.set(name, loss);
  }
  return summed;
}

/** Undefined if the runtime fails on these rows: a graph may contain the number of rows that it was exported with. */
async function lossesOf(
  { core, prepared, weights }: Pick<BatchRun, 'core' | 'prepared' | 'weights'>,
  outputNames: readonly string[],
  rowStart: number,
  rowEnd: number,
): Promise<Map<string, NumberTensor> | undefined> {
  try {
    const results = await runRows(prepared, { rowStart, rowEnd, weights, outputNames });
    return new Map(
      await Promise.all(outputNames.map(async (name) => [name, await numbersOf(core, name, results[name])] as const)),
    );
  } catch (error) {
    if (error instanceof FirnError && error.code === 'eval-input-mismatch') return undefined;
    throw error;
  }
}

function meanOf({ data }: NumberTensor): number {
  let sum = 0;
  for (let at = 0; at < data.length; at++) sum += data[at]!;
  return sum / data.length;
}
