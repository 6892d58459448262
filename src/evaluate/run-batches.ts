import type { Tensor } from 'onnxruntime-node';
import type { EvalSetSpec } from '../checkpoint/eval-set-spec.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { MetricValues } from '../checkpoint/quality.ts';
import { quoteName } from '../checkpoint/quote-name.ts';
import type { NativeCore } from '../native/core.ts';
import { batchResults } from './batch-results.ts';
import { feedElements } from './feed-elements.ts';
import type { NumberTensor } from './metrics/metric-accumulator.ts';
import { MetricSet } from './metrics/metric-set.ts';
import type { PreparedSet } from './prepared-set.ts';

export interface BatchRun {
  readonly core: Pick<NativeCore, 'convert'>;
  readonly prepared: PreparedSet;
  readonly spec: EvalSetSpec;
  /** From {@link weightTensors}. */
  readonly weights: Readonly<Record<string, Tensor>>;
  /** Batches to run; all when absent. */
  readonly batchesMax?: number;
}

/**
 * Runs the batches in order and sums the metrics over them. Errors: `eval-input-mismatch`, `eval-label-mismatch`, `eval-memory`,
 * `graph-invalid`. Blocks the thread while a batch runs.
 */
export async function runBatches(run: BatchRun): Promise<MetricValues> {
  const whole = new MetricSet(run.spec.metrics, run.spec);
  await addBatches(run, () => [whole]);
  return whole.values();
}

/** As {@link runBatches}, each batch once, with the metrics of every set that `setsOf` names for the number of a batch. */
export async function addBatches(run: BatchRun, setsOf: (batch: number) => readonly MetricSet[]): Promise<void> {
  const { core, prepared, spec, weights, batchesMax = Infinity } = run;
  const outputNames = [...new Set(spec.metrics.map((metric) => metric.output))];
  for await (const { batch, rowStart, rowEnd, results } of batchResults(prepared, { weights, outputNames, batchesMax })) {
    const outputs = new Map<string, NumberTensor>();
    for (const name of outputNames) outputs.set(name, await numbersOf(core, name, results[name]));
    const labels = new Map([...prepared.labels].map(([name, column]) => [name, labelRows(column, rowStart, rowEnd)]));
    for (const metrics of setsOf(batch)) metrics.add({ rows: rowEnd - rowStart, outputs, labels });
  }
}

/** An output as numbers. Errors: `graph-invalid` for an output that is not a tensor of numbers. */
async function numbersOf(core: Pick<NativeCore, 'convert'>, name: string, tensor: Tensor | undefined): Promise<NumberTensor> {
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

function labelRows({ dims, data }: NumberTensor, rowStart: number, rowEnd: number): NumberTensor {
  const rowShape = dims.slice(1);
  const rowElements = rowShape.reduce((product, dim) => product * dim, 1);
  return { dims: [rowEnd - rowStart, ...rowShape], data: (data as Float64Array).subarray(rowStart * rowElements, rowEnd * rowElements) };
}
