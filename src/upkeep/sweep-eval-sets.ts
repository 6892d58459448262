import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalog } from '../catalog/contract/catalog.ts';

/**
 * Removes local copies of deleted eval sets. `directory` holds one folder for each, named by id; no run uses a deleted
 * set, so nothing reads its copy. Returns the number removed. Rejects with the errors of the catalog and the file
 * system.
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
