import type { CheckpointFile } from '../catalog/contract/file-records.ts';
import { folderOf, parseWeightMap, shardIndexBytesMax, shardIndexEnding } from '../compress/upload/shard-index.ts';

/** An index file of a checkpoint, and the shards that it names and the checkpoint lacks. */
export interface MissingShards {
  readonly indexPath: string;
  /** Paths in the checkpoint. */
  readonly shards: readonly string[];
}

/**
 * The shards that the checkpoint's index files name and that have not arrived. Reads only files that have arrived;
 * files that are no index are skipped. Rejects with the errors of `read`, which gives the bytes of a file.
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
