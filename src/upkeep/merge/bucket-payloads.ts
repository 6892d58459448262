import { mapBounded } from '../../compress/bounded-parallel.ts';
import { bucketModes } from '../../package/codings/bucket-coding.ts';
import { corruptPackage } from '../../package/corrupt-package.ts';
import type { PackageIndex } from '../../package/package-index.ts';
import type { MergedPackageSource, SharedBlock } from './merged-source.ts';
import type { MergedPackageOptions, PayloadSharer, SharedPayloads } from './shared-payloads.ts';

/** Puts together the payloads of deltas in buckets. */
export const bucketSharer: PayloadSharer = { coding: 'buckets', takes: isBucketDelta, share: bucketPayloads };

/** A separate delta with tensors in buckets, and without features later than version 7. */
function isBucketDelta({ formatVersion, kind, part, codebooks, residual }: PackageIndex): boolean {
  return (
    formatVersion === 7 && kind === 'delta' && part === undefined && codebooks.length === 0 && residual === undefined
  );
}

/** One payload for each block, made of its payloads in all checkpoints. */
function bucketPayloads(
  source: MergedPackageSource,
  blocks: readonly SharedBlock[],
  { core, parallel, signal }: MergedPackageOptions,
): SharedPayloads {
  return {
    formatVersion: 9,
    payloads: () =>
      mapBounded(blocks, parallel, async (block) => {
        const payloads = await source.payloads(block, signal);
        const bodies = payloads.map((payload) => {
          if (payload[0] !== bucketModes.delta) throw corruptPackage('a block behind a previous one is whole');
          return payload.subarray(1);
        });
        return core.bucketMerge(bodies, block.planned.elementCount, signal);
      }),
  };
}
