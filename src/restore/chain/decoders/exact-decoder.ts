import { masterMode, type NativeCore } from '../../../native/core.ts';
import { decodeExactBlock } from '../../../package/blocks/decode-block.ts';
import { masterParts } from '../../../package/blocks/named-tensors.ts';
import { corruptPackage } from '../../../package/corrupt-package.ts';
import { readParts } from '../read-parts.ts';
import type { BlockDecoder, WalkStep } from './block-decoder.ts';
import { bytesOf, decodeAlong } from './decode-along.ts';
import { gatheredElements } from './gathered-elements.ts';

/**
 * Exact blocks: coded alone, against the ancestor's bytes (in a previous block or gathered from several), or against
 * the tensor that was rounded from them.
 */
export function exactDecoder(core: NativeCore): BlockDecoder {
  return {
    decode: (walk, signal) =>
      decodeAlong(
        walk,
        {
          goesOn: (payload) => !core.exactIsStandaloneSync(payload),
          withoutPrevious: async (step) => {
            const bytes = await gatheredElements(step, signal);
            return bytes && { kind: 'exact', bytes };
          },
          decode: async (payload, step, previous) => {
            const { coding, elementCount } = step.planned;
            if (coding.kind !== 'exact') throw corruptPackage('a block changed its kind');
            const bytes =
              payload[0] === masterMode
                ? await decodeMaster(core, payload, step, signal)
                : await decodeExactBlock(
                    core,
                    payload,
                    { elementKind: coding.elementKind, elementCount, previous: bytesOf(previous) },
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

/** The elements of a block of master weights, decoded with their reference tensors in the same package. */
async function decodeMaster(
  core: NativeCore,
  payload: Uint8Array,
  step: WalkStep,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const { planned, package: owner } = step;
  const { content } = owner.index.files[step.fileNumber]!;
  const mayBe =
    content.type === 'safetensors' && planned.coding.kind === 'exact' && planned.coding.elementKind === 'f32';
  if (!mayBe) throw corruptPackage('a block whose elements are not F32 is coded as master weights');
  const parts = masterParts(content.codings, planned, (file) => owner.plan(file));
  const references = parts.flatMap(({ reference }) => (reference === undefined ? [] : [step.located(reference)]));
  if (references.length === 0)
    throw corruptPackage('a block is coded as master weights, and none of its tensors has a reference tensor');
  return core.masterDecode(payload, { segments: parts, reference: await readParts(references, signal) }, signal);
}
