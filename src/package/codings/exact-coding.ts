import type { Dtype } from '../../checkpoint/dtype.ts';
import { layerTypes, type LayerType } from '../../checkpoint/layer-type.ts';
import type { ElementKind } from '../../native/core.ts';
import { elementKindBytes } from '../../native/check/native-numbers.ts';
import type { TensorPlace } from '../tensor-place.ts';
import type { CodingRule } from './coding-rule.ts';

/** Kept byte for byte. */
export interface ExactCoding {
  readonly kind: 'exact';
  readonly layerType: LayerType;
  /**
   * Of a master: the exact F16 or BF16 tensor of the package that its F32 elements may be told by. From version 5 on.
   */
  readonly modelWeights?: TensorPlace;
}

export interface ExactBlock {
  readonly kind: 'exact';
  readonly elementKind: ElementKind;
}

/** How exact tensors of a dtype are cut into planes. */
export const elementKindOfDtype: Readonly<Record<Dtype, ElementKind>> = {
  BOOL: 'bytes',
  U8: 'bytes',
  I8: 'bytes',
  F8_E5M2: 'bytes',
  F8_E4M3: 'bytes',
  F8_E8M0: 'bytes',
  F8_E4M3FNUZ: 'bytes',
  F8_E5M2FNUZ: 'bytes',
  F6_E2M3: 'bytes',
  F6_E3M2: 'bytes',
  F4: 'bytes',
  I16: 'word16',
  U16: 'word16',
  F16: 'f16',
  BF16: 'bf16',
  I32: 'word32',
  U32: 'word32',
  F32: 'f32',
  I64: 'word64',
  U64: 'word64',
  F64: 'f64',
  C64: 'word64',
};

/** Of a master: the number of its code. */
export const masterCode = 41;

/** Codes 0..5 by layer type; 41 a master. */
export const exactCoding: CodingRule<ExactCoding, ExactBlock> = {
  kind: 'exact',
  isWeight: false,
  isExact: true,
  isShared: false,
  versionMin: ({ modelWeights }) => (modelWeights === undefined ? 1 : 5),
  codeOf: ({ layerType, modelWeights }) => (modelWeights === undefined ? layerTypes.indexOf(layerType) : masterCode),
  read: (code) => {
    const layerType = layerTypes[code];
    return layerType && { kind: 'exact', layerType };
  },
  checkTensor: () => undefined,
  blockOf: ({ dtype }) => ({ kind: 'exact', elementKind: elementKindOfDtype[dtype] }),
  classOf: ({ elementKind }) => elementKind,
  // One mode byte and the raw elements.
  payloadBytesMax: ({ coding, elementCount }) => 1 + elementCount * elementKindBytes[coding.elementKind],
  matches: (there, here) => there.coding.elementKind === here.coding.elementKind,
};
