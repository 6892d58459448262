import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { FileDigests } from '../../catalog/contract/file-records.ts';
import type { Tree } from '../../catalog/contract/hub/revision-records.ts';
import type { ByteCache } from '../../restore/byte-cache.ts';

/** Trees of commits, and the digests of the files of checkpoints. */
export type KeptTree = Tree | readonly FileDigests[];

/** Memory of one entry of a tree, in bytes, about: three digests and a name. */
const entryBytes = 400;

/**
 * The catalog with trees kept in memory. A tree is named by the digest of its entries, and the digests of a ready
 * checkpoint's files do not change, so what is kept never becomes wrong; only a commit or a checkpoint leads to it, and
 * those are asked for each time. Whoever pulls a folder of hundreds of files otherwise reads and decodes the folder's
 * tree for each of them. Transactions ask the database.
 */
export function withTreeCache(catalog: Catalog, cache: ByteCache<KeptTree>): Catalog {
  const { revisions } = catalog.hub;
  const trees = async (repositoryId: string, ids: readonly string[]): Promise<Tree[]> => {
    const keyOf = (id: string): string => `${repositoryId}/${id}`;
    const known = ids.flatMap((id) => (cache.get(keyOf(id)) as Tree | undefined) ?? []);
    if (known.length === ids.length) return known;
    const rest = ids.filter((id) => !known.some((tree) => tree.id === id));
    const read = await revisions.trees(repositoryId, rest);
    for (const tree of read) cache.set(keyOf(tree.id), tree, (tree.entries.length + 1) * entryBytes);
    return [...known, ...read];
  };
  const digests = async (checkpointId: string): Promise<readonly FileDigests[]> => {
    const key = `files of ${checkpointId}`;
    const known = cache.get(key) as readonly FileDigests[] | undefined;
    if (known !== undefined) return known;
    const read = await catalog.files.digests(checkpointId);
    // Twice: once as files, once as the trees that are made of them.
    cache.set(key, read, 2 * (read.length + 1) * entryBytes);
    return read;
  };
  return {
    ...catalog,
    files: { ...catalog.files, digests },
    hub: { ...catalog.hub, revisions: { ...revisions, trees } },
  };
}
