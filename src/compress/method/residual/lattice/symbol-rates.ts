import type { NativeCore } from '../../../../native/core.ts';
import { forEachBounded } from '../../../bounded-parallel.ts';
import type { EncodingOptions } from '../../quantized-model.ts';
import type { BlockPlace } from '../../../../package/blocks/block-plan.ts';
import type { ResidualFile } from '../../../../package/blocks/residual-block.ts';
import type { BlockRounding, ResidualCoder } from '../residual-coder.ts';

/** Blocks that moves are counted in, spread evenly: 8 M weights tell what moves cost well enough. */
const blocksMax = 64;

export interface SymbolRatesParts extends EncodingOptions {
  readonly core: NativeCore;
  readonly coder: ResidualCoder;
  /** By file number. */
  readonly files: readonly (ResidualFile | undefined)[];
  /** Without rates. */
  readonly roundingOf: (at: BlockPlace) => BlockRounding;
}

/**
 * What moves cost by context (`ContextCounts.symbolRates`): counted in a first pass over blocks of this checkpoint in
 * which every move has the same rate. All of `places` have something before them.
 */
export async function symbolRates(
  places: readonly BlockPlace[],
  { core, coder, files, roundingOf, parallel, signal }: SymbolRatesParts,
): Promise<Uint8Array> {
  const every = Math.max(1, Math.ceil(places.length / blocksMax));
  const looked = places.filter((_, i) => i % every === 0);
  const counts = core.createContextCounts();
  await forEachBounded(looked, parallel, async (at) => {
    await coder.errors(files[at.file]!, at, roundingOf(at), counts, signal);
  });
  return counts.symbolRates(signal);
}
