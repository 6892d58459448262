import { describeGraphFile, type GraphFileDescription } from '../../graph/describe-graph.ts';
import { openGraphFile } from '../../graph/onnx/graph-file.ts';
import type { ByteCache } from '../../restore/byte-cache.ts';

/** Descriptions of eval graphs, by the path of their local copy, which never changes (local-eval-set.ts). */
export type GraphCache = ByteCache<GraphFileDescription>;

/**
 * Describes the graph of a local eval set; the checkpoints of a run share the description while it is cached. Rejects
 * with the errors of `describeGraphFile` and of the file system.
 */
export async function describeLocalGraph(
  cache: GraphCache,
  graphPath: string,
  signal?: AbortSignal,
): Promise<GraphFileDescription> {
  const known = cache.get(graphPath);
  if (known !== undefined) return known;
  const file = await openGraphFile(graphPath);
  try {
    const description = await describeGraphFile(file, signal && { signal });
    cache.set(graphPath, description, description.memoryBytes);
    return description;
  } finally {
    await file.close();
  }
}
