import { createHash } from 'node:crypto';
import type { Dtype } from '../../checkpoint/dtype.ts';
import { bindGraphFile } from '../bind-graph-file.ts';
import type { BindingSpec } from './bind-request.ts';
import { pairByHeaders } from './pair/pair-by-headers.ts';
import type { BoundWeights } from '../bind-weights.ts';
import { buildModel, type ModelParts } from '../onnx/build-model.ts';
import { couldFill } from '../could-fill.ts';
import { describeGraph } from '../describe-graph.ts';
import { memoryGraphSource } from '../onnx/graph-source.ts';

/** Tensors of a checkpoint by name: a shape, and values if they matter. */
export type TestCheckpoint = Readonly<
  Record<string, readonly [shape: readonly number[], values?: readonly number[] | undefined, dtype?: Dtype]>
>;

/** Binds a model to a checkpoint like a job. */
export async function bindModel(
  model: ModelParts | Uint8Array,
  checkpoint: TestCheckpoint,
  spec: BindingSpec = {},
): Promise<BoundWeights> {
  const bytes = model instanceof Uint8Array ? model : buildModel(model);
  const digestTensors = async () =>
    new Map(
      Object.entries(checkpoint).flatMap(([name, [, values]]): [string, string][] =>
        values === undefined ? [] : [[name, digestOf(values)]],
      ),
    );
  const headers = pairByHeaders({ ...spec, graph: describeGraph(bytes), tensors: headersOf(checkpoint) });
  return bindGraphFile(headers, { source: memoryGraphSource(bytes), digestTensors });
}

/** Checks the same from headers alone, like an upload. */
export function couldFillModel(
  model: ModelParts | Uint8Array,
  checkpoint: TestCheckpoint,
  spec: BindingSpec = {},
): void {
  couldFill(describeGraph(model instanceof Uint8Array ? model : buildModel(model)), headersOf(checkpoint), spec);
}

function headersOf(checkpoint: TestCheckpoint) {
  return Object.entries(checkpoint).map(([name, [shape, , dtype]]) => ({
    name,
    shape,
    dtype: dtype ?? ('F32' as const),
  }));
}

function digestOf(values: readonly number[]): string {
  return createHash('sha256')
    .update(new Uint8Array(Float32Array.from(values).buffer))
    .digest('hex');
}

/** Numbers that differ for each seed. */
export function numbers(count: number, seed = 1): number[] {
  return Array.from({ length: count }, (_, at) => Math.sin(seed * 1000 + at));
}

/** A row-major matrix, transposed. */
export function turned(values: readonly number[], rows: number, columns: number): number[] {
  return Array.from({ length: values.length }, (_, at) => values[(at % rows) * columns + Math.floor(at / rows)]!);
}
