import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalog } from '../catalog/contract/catalog.ts';

/**
 * Removes local copies of eval sets that were deleted. `directory` holds one folder each, named by id; a set that is
 * gone is used by no run, so nothing reads its copy. Returns how many went. Rejects with the errors of the catalog and
 * the file system.
 */
export async function sweepEvalSets(catalog: Catalog, directory: string, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  for (const id of await readdir(directory)) {
    signal?.throwIfAborted();
    if ((await catalog.evalSets.get(id)) !== undefined) continue;
    await rm(join(directory, id), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
