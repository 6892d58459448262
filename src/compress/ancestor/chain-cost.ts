import type { PackageRecord } from '../../catalog/contract/storage/package-records.ts';
import type { ChainCost } from './restore-budget.ts';

/**
 * Cost of decoding the moves of several checkpoints at once, relative to those of one: measured 0.7 to 1.9
 * (docs/decisions/0016-super-steps.md, "Measured").
 */
const mergedPackageLinks = 2;

/**
 * The packages and bytes that a restore reads and decodes of a chain, newest first, the base last. A merged package
 * counts once and whole.
 */
export function chainCost(chain: readonly PackageRecord[]): ChainCost {
  const objects = new Map(
    chain.map(({ key, mergedPackageId, storedBytes, sizeBytes }) => [
      key,
      mergedPackageId === undefined
        ? { links: 1, bytes: storedBytes }
        : { links: mergedPackageLinks, bytes: sizeBytes },
    ]),
  );
  const sum = (of: 'links' | 'bytes'): number => [...objects.values()].reduce((total, object) => total + object[of], 0);
  return { packages: sum('links'), bytes: sum('bytes'), baseBytes: chain.at(-1)!.storedBytes };
}
