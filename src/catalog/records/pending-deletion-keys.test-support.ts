import type { Catalog } from '../contract/catalog.ts';

/** Keys of all objects pending deletion. */
export async function pendingDeletionKeys(catalog: Catalog): Promise<Set<string>> {
  const keys = new Set<string>();
  for (let after = ''; ;) {
    const page = await catalog.garbage.pendingDeletions(new Date(Date.now() + 86_400_000), { limit: 1000, after });
    for (const { key } of page) keys.add(key);
    if (page.length < 1000) return keys;
    after = page.at(-1)!.key;
  }
}
