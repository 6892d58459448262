import type { CheckpointFile } from '../catalog/contract/file-records.ts';
import { folderOf, parseWeightMap, shardIndexBytesMax, shardIndexEnding } from '../compress/shard-index.ts';

/** An index of a checkpoint, and files that it names and the checkpoint lacks. */
export interface MissingShards {
  readonly indexPath: string;
  /** Paths in the checkpoint. */
  readonly shards: readonly string[];
}

/**
 * Which shards the indexes among a checkpoint's files name that have not arrived. Looks at what has arrived alone; what
 * is no index names none. Rejects with the errors of `read`, which gives the bytes of a file.
 */
export async function missingShards<File extends Pick<CheckpointFile, 'path' | 'sizeBytes' | 'received'>>(
  files: readonly File[],
  read: (file: File) => Promise<Uint8Array>,
): Promise<MissingShards[]> {
  const arrived = files.filter(({ received }) => received);
  const paths = new Set(arrived.map(({ path }) => path));
  const missing: MissingShards[] = [];
  for (const file of arrived) {
    if (!file.path.endsWith(shardIndexEnding) || (file.sizeBytes ?? 0) > shardIndexBytesMax) continue;
    const named = new Set(parseWeightMap(await read(file))?.values());
    const shards = [...named].map((name) => folderOf(file.path) + name).filter((path) => !paths.has(path));
    if (shards.length > 0) missing.push({ indexPath: file.path, shards });
  }
  return missing;
}
