import { dtypeBytes, isQuantizable, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import { corruptPackage } from '../corrupt-package.ts';
import { mergedPackageWidthMax } from '../format-limits.ts';
import type { CodingRule } from './coding-rule.ts';

/** A tensor stored whole, or as buckets added to the ancestor's rebuilt elements. From version 7 on. */
export interface BucketTensorCoding {
  readonly kind: 'buckets';
}

export interface BucketBlockCoding {
  readonly kind: 'buckets';
  readonly dtype: QuantizableDtype;
}

/**
 * First byte of a payload: an exact standalone block follows, or buckets to add to the previous block.
 */
export const bucketModes = { whole: 0, delta: 1 } as const;

/** Bound on the bytes of the mode, the values of 255 buckets and their code lengths. */
const headBytesMax = 2048;

/** Between the codes of optimizer state and those that name another tensor. */
const bucketCode = 37;

export const bucketCoding: CodingRule<BucketTensorCoding, BucketBlockCoding> = {
  kind: 'buckets',
  isWeight: true,
  isExact: false,
  isShared: true,
  versionMin: () => 7,
  codeOf: () => bucketCode,
  read: (code, { formatVersion }) => (code === bucketCode && formatVersion >= 7 ? { kind: 'buckets' } : undefined),
  checkTensor: ({ dtype }) => {
    if (!isQuantizable(dtype)) throw corruptPackage('a tensor in buckets has a dtype that is not quantized');
  },
  blockOf: ({ dtype }) => ({ kind: 'buckets', dtype: dtype as QuantizableDtype }),
  classOf: ({ dtype }) => dtype,
  // The longest code has 15 bits. An element of the smallest dtype has 16.
  payloadBytesMax: ({ coding, elementCount }) => headBytesMax + elementCount * dtypeBytes[coding.dtype],
  // A shared payload is at most as long as the payloads it is made of, with their lengths.
  sharedPayloadBytesMax: ({ coding, elementCount }) =>
    mergedPackageWidthMax * (headBytesMax + elementCount * dtypeBytes[coding.dtype]),
  matches: (there, here) => there.coding.dtype === here.coding.dtype,
};
