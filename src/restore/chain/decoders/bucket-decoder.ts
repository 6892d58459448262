import type { NativeCore } from '../../../native/core.ts';
import { decodeExactBlock } from '../../../package/blocks/decode-block.ts';
import { bucketModes } from '../../../package/codings/bucket-coding.ts';
import { elementKindOfDtype } from '../../../package/codings/exact-coding.ts';
import { corruptPackage } from '../../../package/corrupt-package.ts';
import type { BlockDecoder } from './block-decoder.ts';
import { bytesOf, decodeAlong } from './decode-along.ts';

/** Blocks in buckets: whole, or each element moved from the previous one by the value of its bucket. */
export function bucketDecoder(core: NativeCore): BlockDecoder {
  return {
    decode: (walk, signal) =>
      decodeAlong(
        walk,
        {
          goesOn: ([mode]) => mode === bucketModes.delta,
          decode: async (payload, { planned: { coding, elementCount } }, before) => {
            if (coding.kind !== 'buckets') throw corruptPackage('a block changed its kind');
            const [{ dtype }, [mode], body] = [coding, payload, payload.subarray(1)];
            const previous = bytesOf(before);
            if (mode === bucketModes.delta && previous !== undefined)
              return { kind: 'exact', bytes: await core.bucketDecode(body, { previous, dtype }, signal) };
            if (mode !== bucketModes.whole || !core.exactIsStandaloneSync(body))
              throw corruptPackage('a block in buckets has a mode that does not exist');
            return {
              kind: 'exact',
              bytes: await decodeExactBlock(
                core,
                body,
                { elementKind: elementKindOfDtype[dtype], elementCount },
                signal,
              ),
            };
          },
        },
        signal,
      ),
    elements: async (decoded) => bytesOf(decoded)!,
  };
}
