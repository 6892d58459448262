import type { Tensor } from 'onnxruntime-node';
import type { EvalSetSpec, MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { needsReference } from '../../checkpoint/quality/metric-kind.ts';
import type { EvalParts, MetricValues, PartedMetrics } from '../../checkpoint/quality/quality.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import type { NativeCore } from '../../native/core.ts';
import { batchResults, type GramsBeside } from './batch-results.ts';
import { feedElements } from './feed-elements.ts';
import { labelRows } from './label-rows.ts';
import { LogSums } from '../metrics/log-sums.ts';
import type { NumberTensor } from '../metrics/metric-accumulator.ts';
import { MetricSet, type NamedBatch } from '../metrics/metric-set.ts';
import type { ReferenceOutputs } from '../evaluation-request.ts';
import type { PreparedSet } from './prepared-set.ts';
import { ReferenceReader } from './reference-file.ts';
import { requireHalves } from './require-halves.ts';
import { RowGroups } from './row-groups.ts';

export interface BatchRun {
  readonly core: Pick<NativeCore, 'convert'>;
  readonly prepared: PreparedSet;
  readonly spec: EvalSetSpec;
  /** Metrics besides those of the spec. */
  readonly observed?: readonly MetricSpec[] | undefined;
  /** From {@link weightTensors}. */
  readonly weights: Readonly<Record<string, Tensor>>;
  /** Outputs of the uploaded model; see `EvaluationRequest`. */
  readonly kept?: ReferenceOutputs | undefined;
  /** Batches to run, by number; all when absent. */
  readonly batches?: readonly number[];
  readonly grams?: GramsBeside | undefined;
}

/** Outputs and labels of one batch, numbered from 0. */
export interface MeasuredBatch extends NamedBatch {
  readonly batch: number;
  readonly logSums: LogSums;
}

/**
 * Runs the batches in order and sums the metrics over them. Errors: `eval-input-mismatch`, `eval-label-mismatch`,
 * `eval-memory`, `graph-invalid`. Blocks the thread while a batch runs.
 */
export async function runBatches(run: BatchRun): Promise<MetricValues> {
  return (await runParts(run, { halves: false, groups: false })).whole;
}

/**
 * The same, and the metrics of parts of the set: halves are the even and the odd batches, with the observed metrics;
 * groups are those of {@link RowGroups}, with the metrics of the set alone. The graph costs the same as without parts;
 * the metrics are computed once more for each kind of part. Errors: also `eval-input-mismatch` if halves are wanted and
 * the batches do not make two.
 */
export async function runParts(run: BatchRun, { halves, groups }: EvalParts): Promise<PartedMetrics> {
  if (halves) requireHalves(run.prepared);
  const [whole, first, second] = [newMetricSet(run), newMetricSet(run), newMetricSet(run)];
  const grouped = new RowGroups(run.prepared, run.spec);
  await forEachBatch(run, (batch) => {
    whole.add(batch);
    if (halves) (batch.batch % 2 === 0 ? first : second).add(batch);
    if (groups) grouped.add(batch);
  });
  return {
    whole: whole.values(),
    ...(halves && { halves: [first.values(), second.values()] }),
    ...(groups && { groups: grouped.values() }),
  };
}

/** Every metric that a run requests, with nothing added yet. */
function newMetricSet({ spec, observed = [] }: Pick<BatchRun, 'spec' | 'observed'>): MetricSet {
  return new MetricSet([...spec.metrics, ...observed], spec);
}

/**
 * Like {@link runBatches}: runs each batch once, and hands it to `add` with the outputs of the uploaded model that the
 * metrics need.
 */
async function forEachBatch(run: BatchRun, add: (batch: MeasuredBatch) => void): Promise<void> {
  const reference = openReference(run);
  try {
    for await (const measured of measuredBatches(run)) add({ ...measured, references: reference(measured.outputs) });
  } finally {
    reference.close();
  }
}

/** The outputs and labels of each batch that the metrics need, without references. */
export async function* measuredBatches(run: BatchRun): AsyncGenerator<MeasuredBatch> {
  const { core, prepared, spec, observed = [], weights, batches, grams } = run;
  const outputNames = [...new Set([...spec.metrics, ...observed].map((metric) => metric.output))];
  const request = { weights, outputNames, batches, grams };
  for await (const { batch, rowStart, rowEnd, results } of batchResults(prepared, request)) {
    const outputs = new Map<string, NumberTensor>();
    for (const name of outputNames) outputs.set(name, await numbersOf(core, name, results[name]));
    const labels = new Map([...prepared.labels].map(([name, column]) => [name, labelRows(column, rowStart, rowEnd)]));
    yield { batch, rows: rowEnd - rowStart, outputs, labels, logSums: new LogSums() };
  }
}

/** Names of the outputs to compare with the uploaded model's, in their order in a reference file. */
export function comparedOutputs({ spec, observed = [] }: Pick<BatchRun, 'spec' | 'observed'>): string[] {
  return [
    ...new Set([...spec.metrics, ...observed].filter(({ kind }) => needsReference(kind)).map(({ output }) => output)),
  ];
}

/** Reads the reference of each batch in turn; the batches must be all of the set, in order. */
function openReference(run: BatchRun) {
  const needed = comparedOutputs(run);
  if (needed.some((name) => run.kept?.outputs.includes(name) !== true))
    throw new FirnError(
      'eval-input-mismatch',
      'A metric compares with the uploaded model, whose outputs are not at hand.',
    );
  // Reads all outputs of a batch from the file, because the run may need fewer than were written.
  const names = needed.length === 0 ? [] : run.kept!.outputs;
  const file = names.length === 0 ? undefined : new ReferenceReader(run.kept!.path);
  const read = (outputs: ReadonlyMap<string, NumberTensor>) =>
    new Map(names.map((name) => [name, file!.next(outputs.get(name)!.data.length)]));
  return Object.assign(read, { close: () => file?.close() });
}

/** An output as numbers. Errors: `graph-invalid` for an output that is not a tensor of numbers. */
export async function numbersOf(
  core: Pick<NativeCore, 'convert'>,
  name: string,
  tensor: Tensor | undefined,
): Promise<NumberTensor> {
  if (tensor === undefined || tensor.type === 'string')
    throw new FirnError('graph-invalid', `Output ${quoteName(name)} of the graph is not a tensor of numbers.`);
  const { dims, data, type } = tensor;
  if (type === 'float16') {
    const words = data as Uint16Array;
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    return { dims, data: (await feedElements(core, bytes, { from: 'F16', to: 'F32' })) as Float32Array };
  }
  if (type === 'int64' || type === 'uint64') return { dims, data: Float64Array.from(data as BigInt64Array, Number) };
  return { dims, data: data as Float32Array };
}
