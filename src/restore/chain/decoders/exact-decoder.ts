import { elementKindBytes } from '../../../native/check/native-numbers.ts';
import { masterMode, type NativeCore } from '../../../native/core.ts';
import { masterParts } from '../../../package/blocks/named-tensors.ts';
import { corruptPackage } from '../../../package/corrupt-package.ts';
import type { BlockMemory } from '../../block-memory.ts';
import { readParts } from '../read-parts.ts';
import type { BlockDecoder, WalkStep } from './block-decoder.ts';
import { bytesOf, decodeAlong, type StepDecoder } from './decode-along.ts';
import { gatheredElements } from './gathered-elements.ts';

/**
 * Exact blocks: coded alone, against the ancestor's bytes (in a previous block or gathered from several), or against
 * the tensor that was rounded from them.
 */
export function exactDecoder(core: NativeCore): BlockDecoder {
  return {
    decode: (walk, signal) => decodeAlong(walk, exactSteps(core, undefined), signal),
    elements: async (decoded) => bytesOf(decoded)!,
    /** A reader that gives memory reads a long range: its blocks are not cached, unless several tensors share one. */
    passing(walk, { signal, memory }) {
      const { segments } = walk.newest.planned;
      if (memory === undefined || segments.length > 1 || walk.steps.length === 0) return undefined;
      return decodeAlong(walk, exactSteps(core, memory), signal).then((decoded) => bytesOf(decoded)!);
    },
  };
}

/** Decodes into `memory`, if given, and gives back what only the next step needed. */
function exactSteps(core: NativeCore, memory: BlockMemory | undefined): StepDecoder {
  return {
    goesOn: (payload) => !core.exactIsStandaloneSync(payload),
    withoutPrevious: async (step, signal) => {
      const bytes = await gatheredElements(step, signal);
      return bytes && { kind: 'exact', bytes };
    },
    decode: async (payload, step, decoded, signal) => {
      const { coding, elementCount } = step.planned;
      if (coding.kind !== 'exact') throw corruptPackage('a block changed its kind');
      if (payload[0] === masterMode) return { kind: 'exact', bytes: await decodeMaster(core, payload, step, signal) };
      const { elementKind } = coding;
      const previous = bytesOf(decoded);
      const into = memory?.take(elementCount * elementKindBytes[elementKind]);
      const bytes = await core.exactDecode(payload, { kind: elementKind, elementCount, previous, into }, signal);
      if (previous !== undefined) memory?.give(previous);
      return { kind: 'exact', bytes };
    },
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
