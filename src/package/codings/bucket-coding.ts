import { dtypeBytes, isQuantizable, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import { corruptPackage } from '../corrupt-package.ts';
import { mergedPackageWidthMax } from '../format-limits.ts';
import type { CodingRule } from './coding-rule.ts';

/** Whole, or moved from what the ancestor rebuilds by the value of a bucket. From version 7 on. */
export interface BucketTensorCoding {
  readonly kind: 'buckets';
}

export interface BucketBlockCoding {
  readonly kind: 'buckets';
  readonly dtype: QuantizableDtype;
}

/**
 * First byte of a payload: what follows is an exact block that stands alone, or buckets on top of the previous block.
 */
export const bucketModes = { whole: 0, delta: 1 } as const;

/** Modes, the values of 255 buckets and the lengths of their codes, in bytes. */
const headBytesMax = 2048;

/** Between those of optimizer state and those that name another tensor. */
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
  // The longest code has 15 bits, no more than an element of the smallest dtype.
  payloadBytesMax: ({ coding, elementCount }) => headBytesMax + elementCount * dtypeBytes[coding.dtype],
  // No more than what it is made of, and their lengths.
  sharedPayloadBytesMax: ({ coding, elementCount }) =>
    mergedPackageWidthMax * (headBytesMax + elementCount * dtypeBytes[coding.dtype]),
  matches: (there, here) => there.coding.dtype === here.coding.dtype,
};
