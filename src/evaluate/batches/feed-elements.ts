import { dtypeBytes, isQuantizable, type Dtype } from '../../checkpoint/dtype.ts';
import type { FeedableDtype } from '../../graph/evaluation-graph.ts';
import { isFloatDtype } from '../../graph/onnx/onnx-dtype.ts';
import type { NativeCore } from '../../native/core.ts';

/** Element arrays of the types that a graph can be fed; float16 is passed as its 16-bit words. */
const elementArrays = {
  F32: Float32Array,
  F64: Float64Array,
  F16: Uint16Array,
  BOOL: Uint8Array,
  U8: Uint8Array,
  I8: Int8Array,
  U16: Uint16Array,
  I16: Int16Array,
  U32: Uint32Array,
  I32: Int32Array,
  U64: BigUint64Array,
  I64: BigInt64Array,
} as const satisfies Record<FeedableDtype, unknown>;

export type FeedElements = InstanceType<(typeof elementArrays)[FeedableDtype]>;

/**
 * Whether elements of `from` may be fed to an input of type `to`: the same type, any floating type for another, I32 for
 * I64.
 */
export function canFeed(from: Dtype, to: Dtype): boolean {
  return from === to || (isFloatDtype(from) && isFloatDtype(to)) || (from === 'I32' && to === 'I64');
}

/**
 * The elements as an array of the type to feed. For the same type: a view, or a copy if the bytes are not aligned.
 * Floating types are converted with rounding to nearest even, F64 to 16 bits via F32; I32 is widened. `canFeed` must
 * hold.
 */
export async function feedElements(
  core: Pick<NativeCore, 'convert'>,
  bytes: Uint8Array,
  types: { readonly from: Dtype; readonly to: FeedableDtype },
): Promise<FeedElements> {
  const { from, to } = types;
  if (from === to) return elementsOver(bytes, to);
  if (from === 'I32') return BigInt64Array.from(elementsOver(bytes, 'I32') as Int32Array, BigInt);
  if (from === 'F64')
    return feedElements(core, bytesOf(Float32Array.from(elementsOver(bytes, 'F64') as Float64Array)), {
      from: 'F32',
      to,
    });
  if (to === 'F64') return Float64Array.from((await feedElements(core, bytes, { from, to: 'F32' })) as Float32Array);
  if (!isQuantizable(from) || !isQuantizable(to)) throw new TypeError(`cannot feed ${from} as ${to}`);
  return elementsOver(await core.convert(bytes, from, to), to);
}

/** A typed view of bytes, or of a copy if they are not aligned (`slice` of a Node Buffer would be no copy). */
export function elementsOver(bytes: Uint8Array, dtype: FeedableDtype): FeedElements {
  const size = dtypeBytes[dtype];
  const aligned = bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes);
  return new elementArrays[dtype](aligned.buffer as ArrayBuffer, aligned.byteOffset, aligned.byteLength / size);
}

function bytesOf(array: Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
