import type { Dtype } from '../../checkpoint/dtype.ts';

/** ONNX's element types (TensorProto.DataType) with a safetensors equivalent, by the name of that. */
const onnxTypeOf = {
  F32: 1,
  U8: 2,
  I8: 3,
  U16: 4,
  I16: 5,
  I32: 6,
  I64: 7,
  BOOL: 9,
  F16: 10,
  F64: 11,
  U32: 12,
  U64: 13,
  BF16: 16,
  F8_E4M3: 17,
  F8_E4M3FNUZ: 18,
  F8_E5M2: 19,
  F8_E5M2FNUZ: 20,
  F8_E8M0: 24,
  C64: 14,
} as const satisfies Partial<Record<Dtype, number>>;

const dtypeByOnnxType: ReadonlyMap<number, Dtype> = new Map(
  Object.entries(onnxTypeOf).map(([name, type]) => [type, name as Dtype]),
);

/** The safetensors dtype of an ONNX element type; undefined for strings, 4-bit and other types without one. */
export function dtypeOfOnnxType(type: number): Dtype | undefined {
  return dtypeByOnnxType.get(type);
}

/** The dtypes of weights that an evaluation feeds from a checkpoint. */
export const floatDtypes = ['F32', 'F16', 'BF16', 'F64'] as const satisfies readonly Dtype[];
export type FloatDtype = (typeof floatDtypes)[number];

export function isFloatDtype(dtype: Dtype | undefined): dtype is FloatDtype {
  return dtype !== undefined && (floatDtypes as readonly Dtype[]).includes(dtype);
}

/** ONNX's number of an element type. */
export function onnxTypeOfDtype(dtype: keyof typeof onnxTypeOf): number {
  return onnxTypeOf[dtype];
}

/** Whether {@link onnxTypeOfDtype} supports a dtype. */
export function hasOnnxType(dtype: Dtype): dtype is keyof typeof onnxTypeOf {
  return Object.hasOwn(onnxTypeOf, dtype);
}
