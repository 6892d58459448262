import type { NativeCore } from '../../../native/core.ts';
import { secondMomentParts, stateSegments } from '../../../package/blocks/state-place.ts';
import { corruptPackage } from '../../../package/corrupt-package.ts';
import { readParts } from '../read-parts.ts';
import type { BlockDecoder, WalkStep } from './block-decoder.ts';
import { bytesOf, decodeAlong } from './decode-along.ts';

/** Blocks of optimizer state. Only second moments may refer to an ancestor's. */
export function stateDecoder(core: NativeCore): BlockDecoder {
  return {
    decode: (walk, signal) =>
      decodeAlong(
        walk,
        {
          goesOn: (payload, { planned: { coding } }) =>
            coding.kind === 'state' && coding.encoding === 'secondMoment' && core.stateNeedsPreviousSync(payload),
          decode: async (payload, step, previous) => {
            const { coding } = step.planned;
            if (coding.kind !== 'state') throw corruptPackage('a block changed its kind');
            const { encoding } = coding;
            const reference = encoding === 'firstMoment' ? await secondMoments(step, signal) : bytesOf(previous);
            return {
              kind: 'exact',
              bytes: await core.stateDecode(
                payload,
                { encoding, segments: stateSegments(step.plan, step.planned), reference },
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

/** The second moments that belong to a block of first moments, from the same package. */
function secondMoments(
  { plan, fileNumber, planned, package: owner, located }: WalkStep,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const { content } = owner.index.files[fileNumber]!;
  if (content.type !== 'safetensors') throw corruptPackage('first moments in a file without tensors');
  return readParts(
    secondMomentParts(plan, content.codings, planned).map((part) => located({ ...part, file: fileNumber })),
    signal,
  );
}
