import type { Catalog } from '../catalog/catalog.ts';
import type { ObjectStore } from '../store/object-store.ts';

/** Prefix of package keys in the store; what follows starts with the package's id (compress/compress-checkpoint.ts). */
const packagePrefix = 'packages/';
/** Hex digits of a package id. */
const idLength = 32;

/**
 * Deletes packages put before `before` that no catalog row names: left by a try at an encode that was killed between its put and its commit, or whose claim was lost. No encode may
 * still be on its way from a put before then to its commit. Memory does not grow with their number; asks the catalog once an object, so it is for quiet hours. Returns how many went.
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
    const id = key.slice(packagePrefix.length, packagePrefix.length + idLength);
    if ((await catalog.packages.get(id))?.key === key) continue;
    await store.delete(key);
    removed += 1;
  }
  return removed;
}
