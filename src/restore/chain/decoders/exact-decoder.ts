import { masterMode, type NativeCore } from '../../../native/core.ts';
import { decodeExactBlock } from '../../../package/blocks/decode-block.ts';
import { masterParts } from '../../../package/blocks/named-tensors.ts';
import { corruptPackage } from '../../../package/corrupt-package.ts';
import { gatheredBlocksMax } from '../../../package/format-limits.ts';
import { countBlocks, readParts } from '../read-parts.ts';
import type { BlockDecoder, WalkStep } from './block-decoder.ts';
import { bytesOf, decodeAlong } from './decode-along.ts';
import type { DecodedBlock } from './decoded-block.ts';

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
          withoutPrevious: gathered,
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

/**
 * The ancestor's elements for a block without a previous block. Undefined if one of its tensors has none there, or if
 * they are in more than `gatheredBlocksMax` blocks.
 */
async function gathered(step: WalkStep, signal: AbortSignal | undefined): Promise<DecodedBlock | undefined> {
  const located = step.gathered()?.map((part) => ({ ...step.located(part, 1), zeroBytes: part.zeroBytes }));
  if (located === undefined || countBlocks(located) > gatheredBlocksMax) return undefined;
  return { kind: 'exact', bytes: await readParts(located, signal) };
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
