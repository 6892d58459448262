import {
  promotionBitsMax,
  promotionBitsMin,
  type LcCheckpointConfig,
} from '../../../checkpoint/options/methods/lc-checkpoint-config.ts';
import type { QuantizationConfig } from '../../../checkpoint/options/quantization-config.ts';
import { configAlone } from '../../../search/trial-conditions.ts';
import type { FoundConfig, TrialRunner } from '../../../search/trial-runner.ts';
import { forEachBounded } from '../../bounded-parallel.ts';
import { quantizedBlocks } from '../../plan/plan-codings.ts';
import { sampleBlocks } from '../../plan/sample-blocks.ts';
import type { EncodingOptions, Quantization } from '../quantized-model.ts';
import { BucketModel, type BucketParts } from './bucket-model.ts';

/** LC-Checkpoint behind an ancestor, or whole without one. */
export function lcCheckpointQuantization(parts: BucketParts): Quantization {
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
 * The fewest estimated bytes that pass: configs are tried in that order, and the first that passes wins. A base is
 * whole whatever the bits are, so one trial tells.
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
