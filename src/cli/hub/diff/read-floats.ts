import { dtypeBytes, type Dtype } from '../../../checkpoint/dtype.ts';

/** Decoders of little-endian elements of the dtypes that weights have. */
const decoders: Partial<Record<Dtype, (view: DataView, at: number) => number>> = {
  F64: (view, at) => view.getFloat64(8 * at, true),
  F32: (view, at) => view.getFloat32(4 * at, true),
  F16: (view, at) => halfToNumber(view.getUint16(2 * at, true)),
  BF16: (view, at) => bfloatToNumber(view.getUint16(2 * at, true)),
};

/** Whether `readFloats` knows the dtype. */
export function isFloat(dtype: Dtype): boolean {
  return decoders[dtype] !== undefined;
}

/** The elements of a floating dtype, exactly. The bytes are whole elements. */
export function readFloats(dtype: Dtype, bytes: Uint8Array): Float64Array {
  const decode = decoders[dtype];
  if (decode === undefined) throw new RangeError(`${dtype} is no floating dtype`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new Float64Array(bytes.byteLength / dtypeBytes[dtype]);
  for (let at = 0; at < values.length; at++) values[at] = decode(view, at);
  return values;
}

const word = new DataView(new ArrayBuffer(4));

/** A bfloat16 is the upper half of a float32. */
function bfloatToNumber(bits: number): number {
  word.setUint32(0, bits * 2 ** 16);
  return word.getFloat32(0);
}

/** IEEE 754 binary16. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
