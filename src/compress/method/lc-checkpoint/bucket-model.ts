import type { QuantizableDtype } from '../../../checkpoint/dtype.ts';
import type { LcCheckpointConfig } from '../../../checkpoint/options/methods/lc-checkpoint-config.ts';
import type { NativeCore } from '../../../native/core.ts';
import type { BlockPlace } from '../../../package/blocks/block-plan.ts';
import { encodeExactBlock } from '../../../package/blocks/encode-block.ts';
import { bucketModes } from '../../../package/codings/bucket-coding.ts';
import { elementKindOfDtype } from '../../../package/codings/exact-coding.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import type { CodingPlan } from '../../plan/plan-codings.ts';
import type { ModelSource } from '../../upload/model-source.ts';
import type { PackageEncoding, QuantizedModel } from '../quantized-model.ts';

export interface BucketParts {
  readonly source: ModelSource;
  readonly core: NativeCore;
  readonly plan: CodingPlan;
  readonly ancestor: Ancestor | undefined;
}

/** A checkpoint whose blocks are moved from the ancestor's by buckets, or are whole where it has none. */
export class BucketModel implements QuantizedModel {
  readonly #parts: BucketParts;
  readonly #bits: number;

  constructor(parts: BucketParts, { bits }: LcCheckpointConfig) {
    this.#parts = parts;
    this.#bits = bits;
  }

  async elements(at: BlockPlace, signal?: AbortSignal): Promise<Uint8Array> {
    const { core } = this.#parts;
    const { current, previous, dtype } = await this.#block(at, signal);
    if (previous === undefined) return current;
    const body = await core.bucketEncode({ current, previous, dtype, bits: this.#bits }, signal);
    return core.bucketDecode(body, { previous, dtype }, signal);
  }

  async encoding(ancestor: Ancestor | undefined): Promise<PackageEncoding> {
    const own = this.#parts.ancestor;
    if (own !== undefined && ancestor?.index.id !== own.index.id)
      throw new TypeError('buckets are stored against the ancestor they were made with');
    return {
      formatVersion: 7,
      ancestor: own,
      migration: undefined,
      codebooks: [],
      tableSets: [],
      payload: (at, signal) => this.payload(at, signal),
    };
  }

  /** As docs/format-blocks.md has it: a mode, then what is coded in it. */
  async payload(at: BlockPlace, signal?: AbortSignal): Promise<Uint8Array> {
    const { core } = this.#parts;
    const { current, previous, dtype } = await this.#block(at, signal);
    if (previous === undefined)
      return withMode(
        bucketModes.whole,
        await encodeExactBlock(core, { bytes: current, elementKind: elementKindOfDtype[dtype] }, signal),
      );
    return withMode(bucketModes.delta, await core.bucketEncode({ current, previous, dtype, bits: this.#bits }, signal));
  }

  async #block({ file, index, block }: BlockPlace, signal: AbortSignal | undefined) {
    const { source, ancestor } = this.#parts;
    const dtype: QuantizableDtype | undefined = block.coding.kind === 'buckets' ? block.coding.dtype : undefined;
    if (dtype === undefined) throw new TypeError('not a block in buckets');
    const current = await source.readBlock(file, block, signal);
    return { current, previous: await ancestor?.elements(file, index, signal), dtype };
  }
}

function withMode(mode: number, body: Uint8Array): Uint8Array {
  const payload = new Uint8Array(1 + body.length);
  payload[0] = mode;
  payload.set(body, 1);
  return payload;
}
