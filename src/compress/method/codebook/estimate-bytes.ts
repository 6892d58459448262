import type { InshrinkeratorConfig } from '../../../checkpoint/options/methods/inshrinkerator-config.ts';
import type { NativeCore } from '../../../native/core.ts';
import type { Ancestor } from '../../ancestor/ancestor.ts';
import { forEachBounded } from '../../bounded-parallel.ts';
import { codebookBytes, TokenCensus } from './count-tokens.ts';
import { codedAgainst, codedAlone, countBlock } from './level-block.ts';
import { levelBlocks } from './level-blocks.ts';
import type { CodingPlan } from '../../plan/plan-codings.ts';
import type { Quantizer } from './quantizer.ts';
import { sampleBlocks } from '../../plan/sample-blocks.ts';
import type { WeightSource } from './held-weights.ts';

export interface EstimateParts {
  readonly source: WeightSource;
  readonly plan: CodingPlan;
  readonly quantizer: Quantizer;
  readonly ancestor: Ancestor | undefined;
  readonly core: NativeCore;
}

/**
 * Bytes of the quantized part under a config, against the ancestor if there is one: the level blocks of an evenly
 * spread sample, scaled, plus token tables and codebooks. A small model is counted whole, with an error of less than a
 * byte a block. The exact part is left out: it is the same for every config.
 */
export async function estimateBytes(
  parts: EstimateParts,
  config: InshrinkeratorConfig,
  options: { parallel: number; signal?: AbortSignal },
): Promise<number> {
  const groups = await parts.quantizer.build(config);
  const model = { ...parts, groups };
  const census = new TokenCensus(parts.core, parts.plan.groups);
  const { blocks, scale } = sampleBlocks([...levelBlocks(parts.plan)]);
  await forEachBounded(blocks, options.parallel, async (at) => {
    const { signal } = options;
    const coding =
      parts.ancestor === undefined ? codedAlone(model, at) : await codedAgainst(model, parts.ancestor, at, signal);
    await countBlock(model, at, [{ coding, census }], signal);
  });
  const { tableBytes, payloadBytes } = census.tables();
  return payloadBytes * scale + tableBytes + codebookBytes(groups);
}
