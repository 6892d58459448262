import type { Catalog } from '../catalog/contract/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';

/** Checkpoints read in one query. */
const checkpointsPerRound = 100;

/**
 * Removes hidden checkpoints that nothing builds on any more, with their objects, and hidden runs without checkpoints.
 * Each removal may free the checkpoint that this one was built on or forked from. Repeatable: the next call finishes
 * the work of one that crashed. Objects are deleted after the grace. Returns the number of checkpoints removed. Rejects
 * with the errors of the catalog, and with the signal's reason between two checkpoints.
 */
export async function reclaimHidden({ catalog }: { readonly catalog: Catalog }, signal?: AbortSignal): Promise<number> {
  for (let reclaimed = 0; ;) {
    let removedInRound = 0;
    for (const id of await catalog.checkpoints.reclaimable(checkpointsPerRound)) {
      signal?.throwIfAborted();
      if (await purge(catalog, id)) removedInRound += 1;
    }
    reclaimed += removedInRound;
    if ((await catalog.runs.purgeHidden()) === 0 && removedInRound === 0) return reclaimed;
  }
}

/** False if another process removed it first, or something builds on it by now. */
async function purge(catalog: Catalog, id: string): Promise<boolean> {
  try {
    await catalog.checkpoints.purge(id);
    return true;
  } catch (err) {
    if (err instanceof FirnError && (err.code === 'conflict' || err.code === 'not-found')) return false;
    throw err;
  }
}
