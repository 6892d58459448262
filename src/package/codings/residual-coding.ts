import { isQuantizable, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import { corruptPackage } from '../corrupt-package.ts';
import { mergedPackageWidthMax } from '../format-limits.ts';
import type { CodingRule } from './coding-rule.ts';

/** Steps from the rebuilt ancestor; each such tensor has a record (residual-tensor.ts). From version 2 on. */
export interface ResidualTensorCoding {
  readonly kind: 'residual';
}

export interface ResidualBlockCoding {
  readonly kind: 'residual';
  readonly dtype: QuantizableDtype;
}

/** Mode, lengths and coder states of a block, in bytes. */
const headBytesMax = 256;
/** A symbol and its escape, in bytes, with room to spare. */
const elementBytesMax = 10;
/** An escape as a varint. */
const escapeBytesMax = 5;

/** Code 32, above every codebook number a package can have. */
const residualCode = 32;

export const residualCoding: CodingRule<ResidualTensorCoding, ResidualBlockCoding> = {
  kind: 'residual',
  isWeight: true,
  isExact: false,
  isShared: true,
  versionMin: () => 2,
  codeOf: () => residualCode,
  read: (code, { formatVersion }) => (code === residualCode && formatVersion >= 2 ? { kind: 'residual' } : undefined),
  checkTensor: ({ dtype }) => {
    if (!isQuantizable(dtype)) throw corruptPackage('a residual tensor has a dtype that is not quantized');
  },
  blockOf: ({ dtype }) => ({ kind: 'residual', dtype: dtype as QuantizableDtype }),
  classOf: ({ dtype }) => dtype,
  payloadBytesMax: ({ elementCount }) => headBytesMax + elementBytesMax * elementCount,
  // Plus the escapes of all its checkpoints.
  sharedPayloadBytesMax: ({ elementCount }) =>
    headBytesMax + (elementBytesMax + mergedPackageWidthMax * escapeBytesMax) * elementCount,
  matches: (there, here) => there.coding.dtype === here.coding.dtype,
};
