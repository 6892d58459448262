import type { QuantizationConfig } from '../checkpoint/quantization-config.ts';
import { dtypeBytes } from '../checkpoint/dtype.ts';
import type { NativeCore, TokenCounts } from '../native/core.ts';
import type { AncestorLevels } from './ancestor-levels.ts';
import { forEachBounded } from './bounded-parallel.ts';
import type { ModelSource } from './model-source.ts';
import { levelBlocks, type CodingPlan } from './plan-codings.ts';
import { quantizeBlock } from './quantize-block.ts';
import type { Quantizer } from './quantizer.ts';

/** Quantized elements looked at for one estimate; a smaller model is counted whole and its estimate is exact for the level blocks. */
export const sampleElementsMax = 2 * 1024 * 1024;

/**
 * Bytes of the quantized part under a config, against the ancestor where there is one: real token counts over an evenly spread sample of
 * blocks, scaled, plus tables, codebooks and protected words. The exact part is the same for every config and left out.
 */
export class BytesEstimator {
  private readonly sample: ReturnType<typeof sampleBlocks>;
  private readonly source: ModelSource;
  private readonly quantizer: Quantizer;
  private readonly ancestor: AncestorLevels | undefined;
  private readonly core: NativeCore;
  private readonly options: { parallel: number; signal?: AbortSignal };

  constructor(parts: { source: ModelSource; plan: CodingPlan; quantizer: Quantizer; ancestor: AncestorLevels | undefined; core: NativeCore }, options: { parallel: number; signal?: AbortSignal }) {
    this.source = parts.source;
    this.quantizer = parts.quantizer;
    this.ancestor = parts.ancestor;
    this.core = parts.core;
    this.options = options;
    this.sample = sampleBlocks(parts.plan);
  }

  async estimate(config: QuantizationConfig): Promise<number> {
    const groups = await this.quantizer.build(config);
    const counts = groups.map(() => this.core.createTokenCounts());
    let protectedWords = 0;
    await forEachBounded(this.sample.blocks, this.options.parallel, async (at) => {
      const assigned = await quantizeBlock(this.source, this.quantizer, groups, at, this.core, this.options.signal);
      protectedWords += assigned.protectedWords.length;
      const previous = await this.ancestor?.levels(at.file, at.index, this.options.signal);
      const modulus = this.ancestor?.modulus(at.group, groups[at.group]!.levelCount) ?? groups[at.group]!.levelCount;
      await counts[at.group]!.add({ current: assigned.levels, modulus, ...(previous === undefined ? {} : { previous }) }, this.options.signal);
    });
    const payload = counts.reduce((sum, count) => sum + count.payloadBits() / 8, 0) + 2 * protectedWords;
    const codebooks = groups.reduce((sum, group) => sum + group.levelCount * dtypeBytes[group.group.dtype], 0);
    return payload * this.sample.scale + codebooks + tableBytes(counts);
  }
}

/** The cheaper of one table set a group and one for all. */
function tableBytes(counts: readonly TokenCounts[]): number {
  return counts.reduce((sum, count) => sum + count.build().serialize().length, 0);
}

function sampleBlocks(plan: CodingPlan) {
  const all = [...levelBlocks(plan)];
  const elements = all.reduce((sum, { block }) => sum + block.elementCount, 0);
  const stride = Math.max(1, Math.ceil(elements / sampleElementsMax));
  const blocks = all.filter((_, i) => i % stride === 0);
  const sampled = blocks.reduce((sum, { block }) => sum + block.elementCount, 0);
  return { blocks, scale: sampled === 0 ? 1 : elements / sampled };
}
