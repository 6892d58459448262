import type { InshrinkeratorConfig } from '../checkpoint/quantization-config.ts';
import type { NativeCore } from '../native/core.ts';
import type { Ancestor } from './ancestor.ts';
import { forEachBounded } from './bounded-parallel.ts';
import { codebookBytes, TokenCensus } from './count-tokens.ts';
import { levelBlock } from './level-block.ts';
import type { ModelSource } from './model-source.ts';
import { levelBlocks, type CodingPlan } from './plan-codings.ts';
import type { Quantizer } from './quantizer.ts';

/** Quantized elements looked at for one estimate; a smaller model is counted whole, and its estimate is off by less than a byte a block. */
export const sampleElementsMax = 2 * 1024 * 1024;

export interface EstimateParts {
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  readonly quantizer: Quantizer;
  readonly ancestor: Ancestor | undefined;
  readonly core: NativeCore;
}

/**
 * Bytes of the quantized part under a config, against the ancestor where there is one: what the level blocks of an evenly spread sample come to, scaled, plus
 * token tables and codebooks. The exact part is the same for every config and left out.
 */
export async function estimateBytes(parts: EstimateParts, config: InshrinkeratorConfig, options: { parallel: number; signal?: AbortSignal }): Promise<number> {
  const groups = await parts.quantizer.build(config);
  const census = new TokenCensus(parts.core, parts.plan.groups);
  const { blocks, scale } = sampleBlocks(parts.plan);
  await forEachBounded(blocks, options.parallel, async (at) => {
    await census.add(at.group, await levelBlock({ ...parts, groups }, parts.ancestor, at, options.signal), options.signal);
  });
  const { tableBytes, payloadBytes } = census.tables();
  return payloadBytes * scale + tableBytes + codebookBytes(groups);
}

function sampleBlocks(plan: CodingPlan) {
  const all = [...levelBlocks(plan)];
  const elements = all.reduce((total, { block }) => total + block.elementCount, 0);
  const stride = Math.max(1, Math.ceil(elements / sampleElementsMax));
  const blocks = all.filter((_, i) => i % stride === 0);
  const sampled = blocks.reduce((total, { block }) => total + block.elementCount, 0);
  return { blocks, scale: sampled === 0 ? 1 : elements / sampled };
}
