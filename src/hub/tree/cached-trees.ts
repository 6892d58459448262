import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Tree } from '../../catalog/contract/hub/revision-records.ts';
import type { ByteCache } from '../../restore/byte-cache.ts';

/** Memory of one entry of a tree, in bytes, about: three digests and a name. */
const entryBytes = 400;

/**
 * The catalog with trees kept in memory. A tree is named by the digest of its entries, so what is kept never becomes
 * wrong; only a commit leads to it, and commits are asked for each time. Whoever pulls a folder of hundreds of files
 * otherwise reads and decodes the folder's tree for each of them. Transactions ask the database.
 */
export function withTreeCache(catalog: Catalog, cache: ByteCache<Tree>): Catalog {
  const { revisions } = catalog.hub;
  const trees = async (repositoryId: string, ids: readonly string[]): Promise<Tree[]> => {
    const keyOf = (id: string): string => `${repositoryId}/${id}`;
    const known = ids.flatMap((id) => cache.get(keyOf(id)) ?? []);
    if (known.length === ids.length) return known;
    const rest = ids.filter((id) => !known.some((tree) => tree.id === id));
    const read = await revisions.trees(repositoryId, rest);
    for (const tree of read) cache.set(keyOf(tree.id), tree, (tree.entries.length + 1) * entryBytes);
    return [...known, ...read];
  };
  return { ...catalog, hub: { ...catalog.hub, revisions: { ...revisions, trees } } };
}
