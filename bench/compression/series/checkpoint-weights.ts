import { readFileSync } from 'node:fs';
import { isQuantizable, type Dtype } from '../../../src/checkpoint/dtype.ts';
import type { LayerType } from '../../../src/checkpoint/layer-type.ts';
import { parseSafetensorsHeader } from '../../../src/checkpoint/safetensors/parse-safetensors.ts';
import type { SafetensorsLayout } from '../../../src/checkpoint/safetensors/safetensors-layout.ts';
import type { SeriesCheckpoint } from '../../../src/cli/demo/read-series.ts';
import { effectiveRank } from '../../../src/graph/layers/layer-type-of.ts';
import type { NativeCore } from '../../../src/native/core.ts';

/** One tensor of a checkpoint in memory. */
export interface WeightTensor {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** As stored. */
  readonly bytes: Uint8Array;
  /** Values as fp32, for floating tensors. */
  readonly values?: Float32Array;
  readonly layerType: LayerType;
}

export interface CheckpointWeights {
  readonly step: number;
  readonly rawBytes: number;
  /** In the order of the series' files on disk. */
  readonly files: readonly { readonly layout: SafetensorsLayout; readonly tensors: readonly WeightTensor[] }[];
  readonly tensors: readonly WeightTensor[];
  /** Average gradients by tensor name, as fp32. */
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

/**
 * Fewest elements of a tensor that comparators quantize, the same as in the product
 * (src/graph/layers/quantized-layer-type.ts).
 */
const quantizedElementsMin = 256;

/**
 * Whether methods that quantize matrices take a tensor: linear, convolution and embedding weights that are large
 * enough.
 */
export function isMatrix(tensor: WeightTensor): boolean {
  const weights =
    tensor.layerType === 'linear' || tensor.layerType === 'convolution' || tensor.layerType === 'embedding';
  return (
    weights &&
    tensor.values !== undefined &&
    tensor.values.length >= quantizedElementsMin &&
    effectiveRank(tensor.shape) >= 2
  );
}

/**
 * Whether methods that code a model's whole state take a tensor: everything trained. Buffers such as running statistics
 * stay exact.
 */
export function isParameter(tensor: WeightTensor): boolean {
  return tensor.layerType !== 'buffer' && tensor.values !== undefined && tensor.values.length > 0;
}

/** Reads a checkpoint of a series whole. Rejects with the errors of the safetensors parser. */
export async function loadCheckpoint(
  checkpoint: SeriesCheckpoint,
  layerTypes: (layout: SafetensorsLayout) => ReadonlyMap<string, LayerType>,
  core: NativeCore,
): Promise<CheckpointWeights> {
  const files = [];
  for (const { from } of checkpoint.modelFiles) {
    const { layout, tensors } = await readTensors(from, core);
    const types = layerTypes(layout);
    files.push({
      layout,
      tensors: tensors.map((tensor): WeightTensor => ({ ...tensor, layerType: types.get(tensor.name)! })),
    });
  }
  const gradients =
    checkpoint.sensitivityPath === undefined ? [] : (await readTensors(checkpoint.sensitivityPath, core)).tensors;
  return {
    step: checkpoint.step,
    rawBytes: files.reduce((sum, { layout }) => sum + layout.sizeBytes, 0),
    files,
    tensors: files.flatMap((file) => file.tensors),
    gradients: new Map(gradients.flatMap(({ name, values }) => (values === undefined ? [] : [[name, values]]))),
  };
}

async function readTensors(path: string, core: NativeCore) {
  const file = readFileSync(path);
  const layout = parseSafetensorsHeader(file, file.length);
  const tensors = await Promise.all(
    layout.tensors.map(async ({ name, dtype, shape, startBytes, endBytes }) => {
      const bytes = new Uint8Array(file.subarray(startBytes, endBytes));
      return {
        name,
        dtype,
        shape,
        bytes,
        ...(isQuantizable(dtype) && { values: floatsOf(await core.convert(bytes, dtype, 'F32')) }),
      };
    }),
  );
  return { layout, tensors };
}

/** Little-endian fp32 bytes as numbers, copied. */
export function floatsOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}
