import { quoteName } from '../../checkpoint/words/quote-name.ts';
import { quoteNames } from '../../graph/quote-names.ts';
import type { SourceFile } from './model-source.ts';
import { folderOf, parseWeightMap, shardIndexBytesMax, shardIndexEnding } from './shard-index.ts';

/**
 * Warnings about the index of a sharded model (`*.safetensors.index.json`, whose `weight_map` names the shard of each
 * tensor, relative to its own folder): it is not an index, names a missing shard, assigns a tensor to the wrong shard,
 * or omits one of a shard's tensors. The files are stored unchanged in any case. Rejects with the store's errors.
 */
export async function shardIndexWarnings(files: readonly SourceFile[], signal?: AbortSignal): Promise<string[]> {
  const warnings: string[] = [];
  for (const { path, sizeBytes, reader } of files.filter(
    (file) => file.path.endsWith(shardIndexEnding) && file.sizeBytes <= shardIndexBytesMax,
  )) {
    const weightMap = parseWeightMap(await reader.read(0, sizeBytes, signal));
    const wrong =
      weightMap === undefined
        ? 'has no weight_map of tensor names to file names'
        : contradiction(weightMap, { folder: folderOf(path), files });
    if (wrong !== undefined) warnings.push(`The shard index ${quoteName(path)} ${wrong}.`);
  }
  return warnings;
}

interface Beside {
  /** Folder of the index, with its slash. */
  readonly folder: string;
  readonly files: readonly SourceFile[];
}

function contradiction(weightMap: ReadonlyMap<string, string>, { folder, files }: Beside): string | undefined {
  const paths = new Set(files.map(({ path }) => path));
  const shards = shardsBeside({ folder, files });
  const entries = [...weightMap];
  const absent = entries.filter(([, shard]) => !paths.has(folder + shard));
  const misplaced = entries.filter(
    ([name, shard]) => paths.has(folder + shard) && shards.get(shard)?.has(name) !== true,
  );
  const leftOut = [...new Set(weightMap.values())]
    .flatMap((shard) => [...(shards.get(shard) ?? [])])
    .filter((name) => !weightMap.has(name));
  const absentPaths = [...new Set(absent.map(([, shard]) => folder + shard))];
  const parts = [
    ...(absent.length > 0
      ? [`names shards that the checkpoint lacks: ${quoteNames(absentPaths)} (of ${namesOf(absent)})`]
      : []),
    ...(misplaced.length > 0 ? [`places tensors where they are not: ${namesOf(misplaced)}`] : []),
    ...(leftOut.length > 0 ? [`leaves out tensors of the shards it names: ${quoteNames(leftOut)}`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join('; it ');
}

function namesOf(entries: readonly (readonly [name: string, shard: string])[]): string {
  return quoteNames(entries.map(([name]) => name));
}

/** Tensor names of the safetensors files in the index's folder and below, by their path from there. */
function shardsBeside({ folder, files }: Beside): Map<string, ReadonlySet<string>> {
  const beside = files.filter((file) => file.type === 'safetensors' && file.path.startsWith(folder));
  return new Map(
    beside.map((file) => [file.path.slice(folder.length), new Set(file.layout.tensors.map(({ name }) => name))]),
  );
}
