import type { NativeCore, StatePlace } from '../../native/core.ts';
import { planTensors, type FilePlan } from '../../package/blocks/plan-file.ts';
import { secondMomentParts, stateSegments } from '../../package/blocks/state-place.ts';
import { ByteCache } from '../../restore/byte-cache.ts';
import type { Ancestor } from '../ancestor/ancestor.ts';
import type { ModelSource } from '../upload/model-source.ts';
import type { CodingPlan } from '../plan/plan-codings.ts';
import type { BlockPlace } from '../../package/blocks/block-plan.ts';

/** Cache of rebuilt second moments, which the first moments need, in bytes. */
const keptBytesMax = 64 * 1024 * 1024;
/** Bytes of an element of optimizer state (F32). */
const elementBytes = 4;

/**
 * Codes the blocks of optimizer state of one checkpoint. The decoded values do not depend on an ancestor. Rejects with
 * the errors of source and core.
 */
export class StateCoder {
  private readonly source: ModelSource;
  private readonly plan: CodingPlan;
  private readonly core: NativeCore;
  private readonly filePlans = new Map<number, FilePlan>();
  private readonly kept = new ByteCache<Uint8Array>(keptBytesMax);

  constructor({
    source,
    plan,
    core,
  }: {
    readonly source: ModelSource;
    readonly plan: CodingPlan;
    readonly core: NativeCore;
  }) {
    this.source = source;
    this.plan = plan;
    this.core = core;
  }

  /** The payload of a block, coded against the ancestor's if that is smaller. */
  async payload(at: BlockPlace, ancestor: Ancestor | undefined, signal?: AbortSignal): Promise<Uint8Array> {
    const place = await this.place(at, signal);
    const previous =
      place.encoding === 'secondMoment' ? await ancestor?.exactBytes(at.file, at.index, signal) : place.reference;
    return this.core.stateEncode(
      await this.source.readBlock(at.file, at.block, signal),
      { ...place, reference: previous },
      signal,
    );
  }

  /** A block's elements as a download will return them. */
  async elements(at: BlockPlace, signal?: AbortSignal): Promise<Uint8Array> {
    const key = `${at.file} ${at.index}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const place = await this.place(at, signal);
    const payload = await this.core.stateEncode(await this.source.readBlock(at.file, at.block, signal), place, signal);
    const bytes = await this.core.stateDecode(payload, place, signal);
    if (place.encoding === 'secondMoment') this.kept.set(key, bytes, bytes.length);
    return bytes;
  }

  private async place({ file, block }: BlockPlace, signal?: AbortSignal): Promise<StatePlace> {
    if (block.coding.kind !== 'state') throw new TypeError('not a block of optimizer state');
    const { encoding } = block.coding;
    const segments = stateSegments(this.source.files[file]!, block);
    return encoding === 'firstMoment'
      ? { encoding, segments, reference: await this.secondMoments(file, block, signal) }
      : { encoding, segments };
  }

  /** The decoded second moments for a block of first moments. */
  private async secondMoments(file: number, block: BlockPlace['block'], signal?: AbortSignal): Promise<Uint8Array> {
    const { codings, blocks } = this.plan.files[file]!;
    const parts: Uint8Array[] = [];
    for (const { block: index, firstElement, elementCount } of secondMomentParts(this.filePlan(file), codings, block)) {
      const other = { file, index, block: blocks[index]! };
      const bytes =
        other.block.coding.kind === 'state'
          ? await this.elements(other, signal)
          : await this.source.readBlock(file, other.block, signal);
      parts.push(bytes.subarray(elementBytes * firstElement, elementBytes * (firstElement + elementCount)));
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  private filePlan(file: number): FilePlan {
    const known =
      this.filePlans.get(file) ?? planTensors(this.source.files[file]!.layout, this.plan.files[file]!.codings);
    this.filePlans.set(file, known);
    return known;
  }
}

/** Whether the payload of a state block is exact (docs/format-blocks.md, section 17, mode 0). */
export function isExactState(payload: Uint8Array): boolean {
  return payload[0] === 0;
}
