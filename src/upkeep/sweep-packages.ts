import type { Catalog } from '../catalog/catalog.ts';
import type { ObjectStore } from '../store/object-store.ts';

/** Prefix of package keys in the store. */
const packagePrefix = 'packages/';
/** Keys read from the catalog at once. */
const pageSize = 1000;

/**
 * Deletes packages that no catalog row names and that are older than `graceMs`: left by an encode that was killed between its put and its commit. The
 * grace must be longer than any encode between the two. Returns how many went.
 */
export async function sweepPackages({ catalog, store }: { catalog: Catalog; store: ObjectStore }, graceMs: number, now: Date, signal?: AbortSignal): Promise<number> {
  const listed: string[] = [];
  for await (const object of store.list(packagePrefix)) {
    signal?.throwIfAborted();
    if (now.getTime() - object.modifiedAt.getTime() > graceMs) listed.push(object.key);
  }
  // Listed before the catalog is read: a package committed in between is among the known.
  const known = await knownKeys(catalog);
  const orphans = listed.filter((key) => !known.has(key));
  for (const key of orphans) await store.delete(key);
  return orphans.length;
}

async function knownKeys(catalog: Catalog): Promise<Set<string>> {
  const known = new Set<string>();
  for (let after: string | undefined; ;) {
    const page = await catalog.packages.keys({ limit: pageSize, ...(after === undefined ? {} : { after }) });
    for (const key of page) known.add(key);
    if (page.length < pageSize) return known;
    after = page.at(-1)!;
  }
}
