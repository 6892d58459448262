import { dtypeBytes, tensorBytes, type Dtype } from '../dtype.ts';
import { FirnError } from '../firn-error.ts';
import { quoteName } from '../words/quote-name.ts';
import type { TensorEntry } from './safetensors-layout.ts';

/** A tensor as its header lists it; offsets count from the first byte after the header. */
export interface ListedTensor {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly offsets: readonly [start: number, end: number];
}

/**
 * Puts tensors in offset order and checks that they tile the data from the first byte on: each has the size of its
 * shape and dtype, without overlap or gap. Tensors without elements may sit at any edge. With `dataBytes`, the last
 * must end exactly there. Throws `tensor-size-mismatch`, `tensor-overlap`, `tensor-gap`, `length-mismatch` (the data
 * ends too early), `header-invalid`.
 */
export function orderTensors(
  listed: readonly ListedTensor[],
  dataStartBytes: number,
  dataBytes?: number,
): TensorEntry[] {
  const sorted = [...listed].sort(
    (a, b) => a.offsets[0] - b.offsets[0] || a.offsets[1] - b.offsets[1] || (a.name < b.name ? -1 : 1),
  );
  let edge = 0;
  const tensors = sorted.map((tensor) => {
    const elementCount = countElements(tensor);
    const [start, end] = tensor.offsets;
    if (!Number.isInteger(elementCount) || end - start !== elementCount * dtypeBytes[tensor.dtype]) {
      throw new FirnError(
        'tensor-size-mismatch',
        `Tensor ${quoteName(tensor.name)} of ${tensor.dtype} [${tensor.shape.join(', ')}] does not fit its ` +
          `${end - start} bytes.`,
      );
    }
    if (start < edge)
      throw new FirnError('tensor-overlap', `Tensor ${quoteName(tensor.name)} starts inside another one.`);
    if (start > edge)
      throw new FirnError(
        'tensor-gap',
        `${start - edge} bytes before tensor ${quoteName(tensor.name)} belong to no tensor.`,
      );
    edge = end;
    return {
      name: tensor.name,
      dtype: tensor.dtype,
      shape: tensor.shape,
      elementCount,
      startBytes: dataStartBytes + start,
      endBytes: dataStartBytes + end,
    };
  });
  if (!Number.isSafeInteger(dataStartBytes + edge))
    throw new FirnError('header-invalid', 'The safetensors header describes more than 2^53 - 1 bytes.');
  if (dataBytes !== undefined && dataBytes < edge) {
    throw new FirnError(
      'length-mismatch',
      `The file has ${dataStartBytes + dataBytes} bytes, its safetensors header describes ${dataStartBytes + edge}.`,
    );
  }
  if (dataBytes !== undefined && dataBytes > edge)
    throw new FirnError('tensor-gap', `${dataBytes - edge} bytes after the last tensor belong to no tensor.`);
  return tensors;
}

/**
 * See `TensorEntry`. Other dimensions of an empty shape are bounded too, so that strides computed from the shape stay
 * exact.
 */
function countElements({ name, dtype, shape }: ListedTensor): number {
  const span = tensorBytes(
    dtype,
    shape.map((size) => Math.max(size, 1)),
  );
  if (span > Number.MAX_SAFE_INTEGER)
    throw new FirnError('tensor-size-mismatch', `Tensor ${quoteName(name)} has a shape beyond 2^53 - 1 bytes.`);
  return shape.includes(0) ? 0 : span / dtypeBytes[dtype];
}
