import type { NativeCore } from '../../src/native/core.ts';
import type { ExactMethod } from './exact-method.ts';
import { bitmask } from './methods/bitmask.ts';
import { bytePlanes } from './methods/byte-planes.ts';
import { firnBlocks } from './methods/firn-blocks.ts';
import { xored } from './methods/xored.ts';
import { zstd } from './methods/zstd.ts';
import type { WeightDtype } from './weight-file.ts';

/** Methods that code a checkpoint alone, in the order of the table; ours is the first. */
export function aloneMethods(core: NativeCore): ExactMethod[] {
  return [firnBlocks(core), zstd(1), zstd(19), bytePlanes(1), bytePlanes(3)];
}

/** Methods that code a checkpoint against the one before; ours is the first. The bitmask is for 16-bit states. */
export function deltaMethods(core: NativeCore, dtype: WeightDtype): ExactMethod[] {
  return [
    firnBlocks(core),
    xored(zstd(1)),
    xored(zstd(19)),
    xored(bytePlanes(1)),
    ...(dtype === 'F32' ? [] : [bitmask]),
  ];
}

/** Methods for a checkpoint in which few words have changed; ours is the first. */
export function changedMethods(core: NativeCore): ExactMethod[] {
  return [firnBlocks(core), bitmask, zstd(1), zstd(19), xored(zstd(1)), xored(zstd(19))];
}
