import { isQuantizable, type QuantizableDtype } from '../../../checkpoint/dtype.ts';
import {
  promotionBitsMax,
  promotionBitsMin,
  type LcCheckpointConfig,
} from '../../../checkpoint/options/methods/lc-checkpoint-config.ts';
import type { QuantizationConfig } from '../../../checkpoint/options/quantization-config.ts';
import type { NativeCore } from '../../../native/core.ts';
import type { BlockPlace } from '../../../package/blocks/block-plan.ts';
import { encodeExactBlock } from '../../../package/blocks/encode-block.ts';
import { bucketModes } from '../../../package/codings/bucket-coding.ts';
import { elementKindOfDtype } from '../../../package/codings/exact-coding.ts';
import { configAlone } from '../../../search/trial-conditions.ts';
import type { FoundConfig, TrialRunner } from '../../../search/trial-runner.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import { forEachBounded } from '../../bounded-parallel.ts';
import { quantizedBlocks, type CodingPlan } from '../../plan/plan-codings.ts';
import { sampleBlocks } from '../../plan/sample-blocks.ts';
import type { ModelSource } from '../../upload/model-source.ts';
import type { Method } from '../method.ts';
import type { EncodingOptions, PackageEncoding, Quantization, QuantizedModel } from '../quantized-model.ts';

/**
 * LC-Checkpoint (Chen et al. 2020, section 3.1). It stores the change of each weight since the last rebuilt state as a
 * bucket of its sign and exponent. The first checkpoint is stored whole, as in the paper's algorithm 1.
 */
export const lcCheckpointMethod: Method = {
  name: 'lc-checkpoint',
  // All parameters, as in the paper. Buffers are not parameters.
  codingOf: ({ layerType, entry }) =>
    layerType !== 'buffer' && isQuantizable(entry.dtype) && entry.elementCount > 0 ? { kind: 'buckets' } : undefined,
  ancestry: { kind: 'nearest' },
  begin: ({ source, core }) => ({
    quantization: ({ model: { plan }, ancestor }) =>
      Promise.resolve(lcCheckpointQuantization({ source, core, plan, ancestor })),
    close: () => undefined,
  }),
};

/** Deltas to an ancestor; whole blocks without one. */
function lcCheckpointQuantization(parts: BucketParts): Quantization {
  const estimateBytes = async (config: QuantizationConfig, { parallel, signal }: EncodingOptions): Promise<number> => {
    const model = new BucketModel(parts, own(config));
    const { blocks, scale } = sampleBlocks([...quantizedBlocks(parts.plan)]);
    let bytes = 0;
    await forEachBounded(blocks, parallel, async (at) => {
      bytes += (await model.payload(at, signal)).length;
    });
    return bytes * scale;
  };
  return {
    conditions: { ...configAlone, ancestor: parts.ancestor?.index.id ?? 'base' },
    quantize: (config) => Promise.resolve(new BucketModel(parts, own(config))),
    estimateBytes,
    search: (runner) => searchBits(runner, parts.ancestor === undefined),
  };
}

/**
 * Tries configs in the order of their estimated bytes, until one passes. A base is whole for any number of bits, so one
 * trial is enough.
 */
async function searchBits(runner: TrialRunner, isBase: boolean): Promise<FoundConfig | undefined> {
  const ranked: FoundConfig[] = [];
  for (let bits = isBase ? promotionBitsMax : promotionBitsMin; bits <= promotionBitsMax; bits += 1) {
    const config: LcCheckpointConfig = { method: 'lc-checkpoint', bits };
    ranked.push({ config, estimatedBytes: await runner.estimate(config) });
  }
  ranked.sort((a, b) => a.estimatedBytes - b.estimatedBytes);
  for (const [i, { config }] of ranked.entries()) {
    if (runner.exhausted) break;
    const next = ranked.slice(i + 1).map((other) => other.config);
    if ((await runner.trial(config, next)).passed) break;
  }
  return runner.cheapestPassed();
}

function own(config: QuantizationConfig): LcCheckpointConfig {
  if (config.method !== 'lc-checkpoint') throw new TypeError(`a config of another method: ${config.method}`);
  return config;
}

interface BucketParts {
  readonly source: ModelSource;
  readonly core: NativeCore;
  readonly plan: CodingPlan;
  readonly ancestor: Ancestor | undefined;
}

/** A checkpoint in buckets relative to its ancestor; without an ancestor its blocks are whole. */
class BucketModel implements QuantizedModel {
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

  /** A mode byte, followed by a whole block or by buckets (docs/format-blocks.md). */
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
