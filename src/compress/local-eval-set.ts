import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { EvalSet } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { LocalEvalSet } from '../evaluate/evaluator.ts';
import { restoreToFile } from '../restore/restore-to-file.ts';
import type { ObjectStore } from '../store/object-store.ts';

/** Where local copies of eval sets lie under a work directory, one folder each. */
export function evalSetDirectory(workDirectory: string): string {
  return join(workDirectory, 'eval-sets');
}

/** Brings an eval set's graph and batches to local disk once; later calls find them. They never change once the set is ready. */
export async function localEvalSet(store: ObjectStore, evalSet: EvalSet, directory: string): Promise<LocalEvalSet> {
  if (evalSet.graphKey === undefined || evalSet.batchesKey === undefined) throw new FirnError('eval-set-not-ready', 'The eval set lacks its graph or its batches.');
  const home = join(directory, evalSet.id);
  await mkdir(home, { recursive: true });
  const graphPath = await localCopy(store, evalSet.graphKey, join(home, `graph-${evalSet.graphSha256}.onnx`));
  const batchesPath = await localCopy(store, evalSet.batchesKey, join(home, `batches-${evalSet.batchesSha256}.safetensors`));
  return { graphPath, batchesPath, spec: evalSet.spec };
}

async function localCopy(store: ObjectStore, key: string, path: string): Promise<string> {
  if (await stat(path).then(() => true, () => false)) return path;
  const partial = `${path}.${randomUUID()}`;
  const reader = await store.open(key);
  try {
    await restoreToFile(reader.stream(), partial);
    await rename(partial, path);
    return path;
  } finally {
    await reader.close();
    await rm(partial, { force: true });
  }
}
