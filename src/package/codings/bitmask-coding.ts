import { isHalf, type HalfDtype } from '../../checkpoint/dtype.ts';
import { corruptPackage } from '../corrupt-package.ts';
import type { CodingRule } from './coding-rule.ts';

/**
 * 16-bit weights: a mask and those that changed since the base (BitSnap, section 3.3), or all of them. From version 8
 * on.
 */
export interface BitmaskCoding {
  readonly kind: 'bitmask';
}

export interface BitmaskBlock {
  readonly kind: 'bitmask';
  readonly dtype: HalfDtype;
}

/** After those of optimizer state, before those of copies. */
const bitmaskCode = 38;
const versionMin = 8;
const elementBytes = 2;

export const bitmaskCoding: CodingRule<BitmaskCoding, BitmaskBlock> = {
  kind: 'bitmask',
  isWeight: true,
  isExact: true,
  isShared: false,
  versionMin: () => versionMin,
  codeOf: () => bitmaskCode,
  read: (code, { formatVersion }) =>
    code === bitmaskCode && formatVersion >= versionMin ? { kind: 'bitmask' } : undefined,
  checkTensor: ({ dtype }) => {
    if (!isHalf(dtype)) throw corruptPackage('a tensor with a bitmask is neither F16 nor BF16');
  },
  blockOf: ({ dtype }) => ({ kind: 'bitmask', dtype: dtype as HalfDtype }),
  classOf: ({ dtype }) => dtype,
  // A mode byte and the elements: a larger mask is never written.
  payloadBytesMax: ({ elementCount }) => 1 + elementBytes * elementCount,
  matches: (there, here) => there.coding.dtype === here.coding.dtype,
};
