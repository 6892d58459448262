import type { NativeCore } from '../../../native/core.ts';
import type { QuantizableDtype } from '../../../checkpoint/dtype.ts';
import { bucketModes } from '../../../package/codings/bucket-coding.ts';
import { elementKindOfDtype } from '../../../package/codings/exact-coding.ts';
import { corruptPackage } from '../../../package/corrupt-package.ts';
import type { BlockDecoder, BlockWalk, WalkStep } from './block-decoder.ts';
import { bytesOf, decodeAlong } from './decode-along.ts';

/** Decodes blocks in buckets: whole ones, and ones that add the value of a bucket to each previous element. */
export function bucketDecoder(core: NativeCore): BlockDecoder {
  return {
    decode: (walk, signal) =>
      decodeAlong(
        sharedOnce(walk),
        {
          goesOn: ([mode], { part }) => part !== undefined || mode === bucketModes.delta,
          decode: async (payload, step, before) => {
            const previous = bytesOf(before);
            const bytes =
              previous === undefined
                ? decodeWhole(core, payload, step, signal)
                : decodeDelta(core, payload, { step, previous }, signal);
            return { kind: 'exact', bytes: await bytes };
          },
        },
        signal,
      ),
    elements: async (decoded) => bytesOf(decoded)!,
  };
}

/**
 * Leaves out the earlier checkpoints of merged packages: a shared payload is decoded from the block before the first of
 * its checkpoints.
 */
function sharedOnce(walk: BlockWalk): BlockWalk {
  const steps: WalkStep[] = [];
  for (let i = 0; i < walk.steps.length; i += 1 + (walk.steps[i]!.part?.position ?? 0)) steps.push(walk.steps[i]!);
  return { ...walk, steps };
}

function decodeWhole(
  core: NativeCore,
  payload: Uint8Array,
  step: WalkStep,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const body = payload.subarray(1);
  if (payload[0] !== bucketModes.whole || !core.exactIsStandaloneSync(body))
    throw corruptPackage('a block in buckets has a mode that does not exist');
  const { elementCount } = step.planned;
  return core.exactDecode(body, { kind: elementKindOfDtype[dtypeOf(step)], elementCount }, signal);
}

function decodeDelta(
  core: NativeCore,
  payload: Uint8Array,
  { step, previous }: { readonly step: WalkStep; readonly previous: Uint8Array },
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const dtype = dtypeOf(step);
  if (step.part === undefined) return core.bucketDecode(payload.subarray(1), { previous, dtype }, signal);
  const { position, mergedPackage } = step.part;
  return core.mergedBucketDecode(
    payload,
    { previous, dtype, width: mergedPackage.packageIds.length, position },
    signal,
  );
}

function dtypeOf({ planned: { coding } }: WalkStep): QuantizableDtype {
  if (coding.kind !== 'buckets') throw corruptPackage('a block changed its kind');
  return coding.dtype;
}
