import type { NativeCore } from '../../../native/core.ts';
import { corruptPackage } from '../../../package/corrupt-package.ts';
import type { BlockWalk, WalkStep } from './block-decoder.ts';
import type { DecodedBlock } from './decoded-block.ts';

/** How one payload is decoded on top of the previous block. */
export interface StepDecoder {
  /** Whether a payload needs the previous block. */
  goesOn(payload: Uint8Array, step: WalkStep, core: NativeCore): boolean;
  /** `previous`: undefined unless the payload needs it. */
  decode(
    payload: Uint8Array,
    step: WalkStep,
    previous: DecodedBlock | undefined,
    signal: AbortSignal | undefined,
  ): Promise<DecodedBlock>;
  /**
   * What a payload that needs a previous block has where the chain has none; absent: nothing, and the package is
   * damaged.
   */
  withoutPrevious?(step: WalkStep, signal: AbortSignal | undefined): Promise<DecodedBlock | undefined>;
}

/**
 * Decodes payload after payload, the oldest that is needed first. Reads back to the newest payload that stands alone.
 * Rejects as BlockDecoder does.
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

/** Elements of a previous block that is decoded to them. */
export function bytesOf(previous: DecodedBlock | undefined): Uint8Array | undefined {
  if (previous === undefined) return undefined;
  if (previous.kind !== 'exact') throw corruptPackage('a block changed its kind');
  return previous.bytes;
}
