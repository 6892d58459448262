/** Ending of an index of shards, as model hubs write it. */
export const shardIndexEnding = '.safetensors.index.json';
/** Longest index that is read, in bytes: as long as the longest header, which lists the same tensors. */
export const shardIndexBytesMax = 25_000_000;

/**
 * The `weight_map` of an index: for each tensor the file that contains it, relative to the index's folder. Undefined
 * for bytes that are no index.
 */
export function parseWeightMap(bytes: Uint8Array): ReadonlyMap<string, string> | undefined {
  try {
    const { weight_map: weightMap } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as {
      weight_map?: unknown;
    };
    if (typeof weightMap !== 'object' || weightMap === null || Array.isArray(weightMap)) return undefined;
    const entries = Object.entries(weightMap);
    return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
      ? new Map(entries)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The folder of a path in a checkpoint, with its slash; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
