import type { Catalog } from '../catalog/catalog.ts';
import type { ObjectStore } from '../store/object-store.ts';

/** Prefix of package keys in the store (compress/compress-checkpoint.ts, merge/merge-run.ts). */
const packagePrefix = 'packages/';

/**
 * Deletes packages put before `before` that no catalog row names and none has named since: left by a try at an encode or a merge that was killed between its put and its commit, or whose claim
 * was lost, or replaced by a merge. No encode may still be on its way from a put before then to its commit, and nobody still read what was replaced before then. Memory does not grow with their number; asks the catalog once an object, so it is for quiet hours. Returns how many went.
 */
export async function sweepPackages(
  { catalog, store }: { readonly catalog: Catalog; readonly store: ObjectStore },
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  for await (const { key, modifiedAt } of store.list(packagePrefix)) {
    signal?.throwIfAborted();
    if (modifiedAt.getTime() >= before.getTime()) continue;
    if (await catalog.packages.needs(key, before)) continue;
    await store.delete(key);
    removed += 1;
  }
  await catalog.packages.forgetRetired(before);
  return removed;
}
