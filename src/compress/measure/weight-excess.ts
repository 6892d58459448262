import { isQuantizable } from '../../checkpoint/dtype.ts';
import type { NativeCore } from '../../native/core.ts';
import { isWeightCoding } from '../../package/package-index.ts';
import { forEachBounded } from '../bounded-parallel.ts';
import type { CandidateModel } from '../encode/candidate-file.ts';
import type { QuantizedModel } from '../method/quantized-model.ts';

/** Sums over the elements of one tensor. */
interface TensorSums {
  elements: number;
  sum: number;
  squares: number;
  errorSquares: number;
}

/**
 * A variance below this share of the mean square is lost in the rounding of the sums: the tensor counts as constant.
 */
const varianceShareMin = 1e-10;

/**
 * Largest mean squared error of a quantized tensor in squares of `weightErrorMax` standard deviations of its weights,
 * for methods that do not bound it themselves. Reads the model once. Rejects with the errors of the store.
 */
export async function weightExcess(
  { source, plan, quantized }: CandidateModel & { readonly quantized: QuantizedModel },
  weightErrorMax: number,
  { core, parallel, signal }: { readonly core: NativeCore; readonly parallel: number; readonly signal?: AbortSignal },
): Promise<number> {
  const sums = new Map<string, TensorSums>();
  const places = plan.files.flatMap(({ blocks }, file) =>
    blocks.flatMap((block, index) => (isWeightCoding(block.coding) ? [{ file, index, block }] : [])),
  );
  await forEachBounded(places.entries(), parallel, async ([, place]) => {
    const { file, block } = place;
    const dtype = source.files[file]!.layout.tensors[block.segments[0]!.tensor]!.dtype;
    if (!isQuantizable(dtype)) throw new TypeError(`${dtype} is not quantized`);
    const [uploaded, rebuilt] = await Promise.all([
      source.readBlock(file, block, signal),
      quantized.elements(place, signal),
    ]);
    const [weights, values] = await Promise.all([
      core.convert(uploaded, dtype, 'F32'),
      core.convert(rebuilt, dtype, 'F32'),
    ]);
    let first = 0;
    for (const { tensor, elementCount } of block.segments) {
      const key = `${file}/${tensor}`;
      const known = sums.get(key) ?? { elements: 0, sum: 0, squares: 0, errorSquares: 0 };
      sums.set(key, known);
      add(
        known,
        floats(weights).subarray(first, first + elementCount),
        floats(values).subarray(first, first + elementCount),
      );
      first += elementCount;
    }
  });
  return Math.max(0, ...[...sums.values()].map((tensor) => excessOf(tensor, weightErrorMax)));
}

function add(sums: TensorSums, weights: Float32Array, rebuilt: Float32Array): void {
  for (let at = 0; at < weights.length; at++) {
    const weight = weights[at]!;
    const error = weight - rebuilt[at]!;
    sums.sum += weight;
    sums.squares += weight * weight;
    sums.errorSquares += error * error;
  }
  sums.elements += weights.length;
}

function excessOf({ elements, sum, squares, errorSquares }: TensorSums, weightErrorMax: number): number {
  const spread = squares - sum ** 2 / elements;
  return spread > varianceShareMin * squares ? errorSquares / spread / weightErrorMax ** 2 : 0;
}

function floats(bytes: Uint8Array): Float32Array {
  if (bytes.byteOffset % 4 !== 0) return floats(bytes.slice());
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}
