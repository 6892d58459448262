import { countElements } from '../../checkpoint/count-elements.ts';
import type { MetricValues } from '../../checkpoint/quality/quality.ts';
import type { RowPlan } from '../check-spec.ts';
import type { NumberTensor } from '../metrics/metric-accumulator.ts';
import { MetricSet, type NamedBatch } from '../metrics/metric-set.ts';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { labelRows } from './label-rows.ts';

/** Most groups of rows: more would hardly make their spread more certain (its own error is then an eighth). */
export const rowGroupsMax = 32;

/**
 * The metrics of each of up to {@link rowGroupsMax} groups of neighbouring rows, as equal in size as whole rows allow.
 * Outputs that have no value for each row (the mean loss of a batch) are not divided: then each group is some whole
 * batches. Neighbours share a group since they are often parts of one document.
 */
export class RowGroups {
  readonly #plan: RowPlan;
  readonly #spec: EvalSetSpec;
  #sets: readonly MetricSet[] | undefined;
  #byRow = true;

  constructor(plan: RowPlan, spec: EvalSetSpec) {
    this.#plan = plan;
    this.#spec = spec;
  }

  /** Adds the rows of one batch. Errors: those of {@link MetricSet.add}. */
  add(batch: NamedBatch & { readonly batch: number }): void {
    const { rows, batchRows } = this.#plan;
    if (this.#sets === undefined) {
      this.#byRow = [...batch.outputs.values()].every(({ dims }) => dims[0] === batch.rows);
      const units = this.#byRow ? rows : Math.ceil(rows / batchRows);
      this.#sets = Array.from(
        { length: Math.min(rowGroupsMax, units) },
        () => new MetricSet(this.#spec.metrics, this.#spec),
      );
    }
    const sets = this.#sets;
    if (!this.#byRow) {
      sets[Math.floor((batch.batch * sets.length) / Math.ceil(rows / batchRows))]!.add(batch);
      return;
    }
    const first = batch.batch * batchRows;
    for (let start = 0; start < batch.rows;) {
      const group = Math.floor(((first + start) * sets.length) / rows);
      const groupEnd = Math.ceil(((group + 1) * rows) / sets.length) - first;
      const end = Math.min(batch.rows, groupEnd);
      sets[group]!.add(rowsOf(batch, start, end));
      start = end;
    }
  }

  /** By group; a group in which nothing counts has NaN. */
  values(): readonly MetricValues[] {
    return (this.#sets ?? []).map((set) => set.values());
  }
}

/** Rows `start` to `end` of a batch, exclusive. All outputs must have a value for each row. */
function rowsOf({ rows, outputs, labels, references, logSums }: NamedBatch, start: number, end: number): NamedBatch {
  const slices = (tensors: ReadonlyMap<string, NumberTensor>): Map<string, NumberTensor> =>
    new Map([...tensors].map(([name, tensor]) => [name, labelRows(tensor, start, end)]));
  return {
    rows: end - start,
    outputs: slices(outputs),
    labels: slices(labels),
    ...(logSums !== undefined && { logSums }),
    ...(references !== undefined && {
      references: new Map(
        [...references].map(([name, values]) => {
          const perRow = countElements(outputs.get(name)!.dims) / rows;
          return [name, (values as Float32Array).subarray(start * perRow, end * perRow)];
        }),
      ),
    }),
  };
}
