import type { PackageRecord } from '../catalog/catalog.ts';
import type { ChainCost } from './restore-budget.ts';

/** What a restore reads of a chain, newest first, the base last: an object of several checkpoints counts once and whole. */
export function chainCost(chain: readonly PackageRecord[]): ChainCost {
  const objects = new Map(chain.map((record) => [record.key, record.superStepId === undefined ? record.storedBytes : record.sizeBytes]));
  return { packages: chain.length, bytes: [...objects.values()].reduce((sum, bytes) => sum + bytes, 0), baseBytes: chain.at(-1)!.storedBytes };
}
