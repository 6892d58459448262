import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { LocalEvalSet } from '../../evaluate/evaluation-request.ts';
import { restoreToFile } from '../../restore/restore-to-file.ts';
import type { ObjectStore } from '../../store/object-store.ts';

/** Directory of local copies of eval sets under a work directory, one folder each. */
export function evalSetDirectory(workDirectory: string): string {
  return join(workDirectory, 'eval-sets');
}

/**
 * Brings an eval set's graph and batches to local disk once; later calls find them. They never change once the set is
 * ready. Rejects with `eval-set-not-ready`, the store's errors, and those of the file system.
 */
export async function localEvalSet(
  store: ObjectStore,
  evalSet: EvalSet,
  directory: string,
  signal?: AbortSignal,
): Promise<LocalEvalSet> {
  const { graphKey, batchesKey } = evalSet;
  if (graphKey === undefined || batchesKey === undefined) throw lacksPart();
  const graphPath = await localGraph(store, evalSet, directory, signal);
  const batchesPath = await localCopy(
    store,
    batchesKey,
    join(directory, evalSet.id, `batches-${evalSet.batchesSha256}.safetensors`),
    signal,
  );
  return { graphPath, batchesPath, spec: evalSet.spec };
}

/** Like {@link localEvalSet}, but for the graph alone; returns its path. */
export async function localGraph(
  store: ObjectStore,
  { id, graphKey, graphSha256 }: EvalSet,
  directory: string,
  signal?: AbortSignal,
): Promise<string> {
  if (graphKey === undefined) throw lacksPart();
  await mkdir(join(directory, id), { recursive: true });
  return localCopy(store, graphKey, join(directory, id, `graph-${graphSha256}.onnx`), signal);
}

function lacksPart(): FirnError {
  return new FirnError('eval-set-not-ready', 'The eval set lacks its graph or its batches.');
}

/**
 * The name contains the digest, so a file with this name and the object's size is the copy. A shorter file was left by
 * a crash.
 */
async function localCopy(store: ObjectStore, key: string, path: string, signal?: AbortSignal): Promise<string> {
  const reader = await store.open(key);
  const partial = `${path}.${randomUUID()}`;
  try {
    const there = await stat(path).catch(() => undefined);
    if (there?.size === reader.sizeBytes) return path;
    await restoreToFile(reader.stream(0, reader.sizeBytes, signal), partial);
    await rename(partial, path);
    return path;
  } finally {
    await reader.close();
    await rm(partial, { force: true });
  }
}
