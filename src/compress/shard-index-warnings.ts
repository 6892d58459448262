import { quoteName } from '../checkpoint/quote-name.ts';
import { quoteNames } from '../graph/quote-names.ts';
import type { SourceFile } from './model-source.ts';

const indexEnding = '.safetensors.index.json';
/** Longest index that is looked at, in bytes: as long as the longest header, which lists the same tensors. */
const indexBytesMax = 25_000_000;

/**
 * What whoever uploaded a sharded model should know, in sentences: an index (`*.safetensors.index.json`, whose `weight_map` names the shard of each tensor,
 * relative to its own folder) that is none, places a tensor where it is not, or leaves out one of the shards it names. Files are stored as they
 * are all the same. Rejects with the store's errors.
 */
export async function shardIndexWarnings(files: readonly SourceFile[], signal?: AbortSignal): Promise<string[]> {
  const warnings: string[] = [];
  for (const { path, sizeBytes, reader } of files.filter((file) => file.path.endsWith(indexEnding) && file.sizeBytes <= indexBytesMax)) {
    const weightMap = parseWeightMap(await reader.read(0, sizeBytes, signal));
    const wrong = weightMap === undefined ? 'has no weight_map of tensor names to file names' : contradiction(weightMap, shardsBeside(path, files));
    if (wrong !== undefined) warnings.push(`The shard index ${quoteName(path)} ${wrong}.`);
  }
  return warnings;
}

/** Undefined for bytes that are no index. */
function parseWeightMap(bytes: Uint8Array): ReadonlyMap<string, string> | undefined {
  try {
    const { weight_map: weightMap } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as { weight_map?: unknown };
    if (typeof weightMap !== 'object' || weightMap === null || Array.isArray(weightMap)) return undefined;
    const entries = Object.entries(weightMap);
    return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string') ? new Map(entries) : undefined;
  } catch {
    return undefined;
  }
}

/** Tensor names of the safetensors files in the index's folder and below, by their path from there. */
function shardsBeside(path: string, files: readonly SourceFile[]): Map<string, ReadonlySet<string>> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const beside = files.filter((file) => file.type === 'safetensors' && file.path.startsWith(folder));
  return new Map(beside.map((file) => [file.path.slice(folder.length), new Set(file.layout.tensors.map(({ name }) => name))]));
}

function contradiction(weightMap: ReadonlyMap<string, string>, shards: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  const misplaced = [...weightMap].filter(([name, shard]) => shards.get(shard)?.has(name) !== true).map(([name]) => name);
  const named = [...new Set(weightMap.values())].flatMap((shard) => [...(shards.get(shard) ?? [])]);
  const leftOut = named.filter((name) => !weightMap.has(name));
  const parts = [
    ...(misplaced.length > 0 ? [`places tensors where they are not: ${quoteNames(misplaced)}`] : []),
    ...(leftOut.length > 0 ? [`leaves out tensors of the shards it names: ${quoteNames(leftOut)}`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join('; it ');
}
