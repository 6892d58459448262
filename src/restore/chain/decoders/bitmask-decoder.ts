import { bitmaskMode, type NativeCore } from '../../../native/core.ts';
import { corruptPackage } from '../../../package/corrupt-package.ts';
import type { BlockDecoder } from './block-decoder.ts';
import { bytesOf, decodeAlong } from './decode-along.ts';

/** Blocks of 16-bit weights: all of them, or only the weights that changed since the previous block. */
export function bitmaskDecoder(core: NativeCore): BlockDecoder {
  return {
    decode: (walk, signal) =>
      decodeAlong(
        walk,
        {
          goesOn: (payload) => payload[0] === bitmaskMode,
          decode: async (payload, { planned: { coding, elementCount } }, previous) => {
            if (coding.kind !== 'bitmask') throw corruptPackage('a block changed its kind');
            const bytes = await core.bitmaskDecode(
              payload,
              { dtype: coding.dtype, elementCount, previous: bytesOf(previous) },
              signal,
            );
            return { kind: 'exact', bytes };
          },
        },
        signal,
      ),
    elements: async (decoded) => bytesOf(decoded)!,
  };
}
