/**
 * Element types of the safetensors format by their names in its headers, with the bytes of an element. For packed
 * types, an element is a whole byte.
 */
export const dtypeBytes = {
  F4: 1,
  F6_E2M3: 1,
  F6_E3M2: 1,
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E5M2: 1,
  F8_E4M3: 1,
  F8_E8M0: 1,
  F8_E4M3FNUZ: 1,
  F8_E5M2FNUZ: 1,
  I16: 2,
  U16: 2,
  F16: 2,
  BF16: 2,
  I32: 4,
  U32: 4,
  F32: 4,
  I64: 8,
  U64: 8,
  F64: 8,
  C64: 8,
} as const;

export type Dtype = keyof typeof dtypeBytes;

/** Bits of one number of the packed types. */
const packedBits: Partial<Record<Dtype, number>> = { F4: 4, F6_E2M3: 6, F6_E3M2: 6 };

/**
 * Bytes of a tensor. Not a whole number if packed numbers leave a byte unfilled, which is not allowed. Inexact beyond
 * 2^53 - 1.
 */
export function tensorBytes(dtype: Dtype, shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, packedBits[dtype] ?? 8 * dtypeBytes[dtype]) / 8;
}

/** The dtypes the quantizer takes; every other one is stored exact. */
export const quantizableDtypes = ['F32', 'F16', 'BF16'] as const;
export type QuantizableDtype = (typeof quantizableDtypes)[number];

/** 16-bit floats that F32 master weights are rounded to, in the order in which they are looked for. */
export const halfDtypes = ['BF16', 'F16'] as const;
export type HalfDtype = (typeof halfDtypes)[number];

export function isHalf(dtype: Dtype | undefined): dtype is HalfDtype {
  return dtype !== undefined && (halfDtypes as readonly Dtype[]).includes(dtype);
}

export function isDtype(name: string): name is Dtype {
  return Object.hasOwn(dtypeBytes, name);
}

export function isQuantizable(dtype: Dtype): dtype is QuantizableDtype {
  return (quantizableDtypes as readonly string[]).includes(dtype);
}
