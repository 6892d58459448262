import type { NativeCore } from '../../../native/core.ts';
import { corruptPackage } from '../../../package/corrupt-package.ts';
import type { BlockWalk, WalkStep } from './block-decoder.ts';
import type { DecodedBlock } from './decoded-block.ts';

/** Decodes one payload, given the decoded previous block. */
export interface StepDecoder {
  /** Whether a payload needs the previous block. */
  goesOn(payload: Uint8Array, step: WalkStep, core: NativeCore): boolean;
  /** `previous` is undefined unless the payload needs it. */
  decode(
    payload: Uint8Array,
    step: WalkStep,
    previous: DecodedBlock | undefined,
    signal: AbortSignal | undefined,
  ): Promise<DecodedBlock>;
  /**
   * Replaces the previous block when a payload needs one and the chain has none. Without this method, or if it gives
   * undefined, the package counts as damaged.
   */
  withoutPrevious?(step: WalkStep, signal: AbortSignal | undefined): Promise<DecodedBlock | undefined>;
}

/**
 * Reads payloads from the newest back to one that needs no previous block, then decodes them from the oldest to the
 * newest. Rejects as BlockDecoder does.
 */
export async function decodeAlong(
  { core, steps, found }: BlockWalk,
  decoder: StepDecoder,
  signal: AbortSignal | undefined,
): Promise<DecodedBlock> {
  if (steps.length === 0) return found!;
  const read: { readonly step: WalkStep; readonly payload: Uint8Array; readonly goesOn: boolean }[] = [];
  for (const step of steps) {
    const payload = await step.payload(signal);
    const goesOn = decoder.goesOn(payload, step, core);
    read.push({ step, payload, goesOn });
    if (!goesOn) break;
  }
  const oldest = read.at(-1)!;
  let decoded = read.length === steps.length ? found : undefined;
  if (decoded === undefined && oldest.goesOn) decoded = await decoder.withoutPrevious?.(oldest.step, signal);
  for (const { step, payload, goesOn } of read.reverse()) {
    if (goesOn && decoded === undefined)
      throw corruptPackage(`a block of kind ${step.planned.coding.kind} refers to an ancestor block that is not there`);
    decoded = await decoder.decode(payload, step, goesOn ? decoded : undefined, signal);
  }
  return decoded!;
}

/** The elements of a previous exact block. Throws `corrupt-package` if it has another kind. */
export function bytesOf(previous: DecodedBlock | undefined): Uint8Array | undefined {
  if (previous === undefined) return undefined;
  if (previous.kind !== 'exact') throw corruptPackage('a block changed its kind');
  return previous.bytes;
}
