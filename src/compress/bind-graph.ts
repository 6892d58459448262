import type { Catalog, Run } from '../catalog/catalog.ts';
import type { LocalEvalSet, WeightBinding } from '../evaluate/evaluator.ts';
import { bindWeights, tensorsToDigest } from '../graph/bind-weights.ts';
import { describeGraph, type GraphDescription } from '../graph/describe-graph.ts';
import { digestBytes } from '../restore/digest-bytes.ts';
import type { SourceFile } from './model-source.ts';

/** The eval graph of a run, bound to the tensors of one checkpoint. */
export interface BoundGraph {
  readonly evalSet: LocalEvalSet;
  readonly graph: GraphDescription;
  readonly binding: WeightBinding;
}

/**
 * Binds the graph's initializers to the checkpoint's tensors. A binding found by equal bytes holds for the exact weights the graph was exported
 * from, so the first one found is kept with the run and used for all later checkpoints, forks included. Rejects as `bindWeights` and with the store's errors.
 */
export async function bindGraph(
  catalog: Catalog,
  run: Run,
  evalSet: LocalEvalSet,
  graphBytes: Uint8Array,
  files: readonly SourceFile[],
  signal?: AbortSignal,
): Promise<BoundGraph> {
  const graph = describeGraph(graphBytes);
  if (run.binding !== undefined) return { evalSet, graph, binding: run.binding };
  const binding = (await parentBinding(catalog, run)) ?? (await bindByContent(graph, evalSet, files, signal));
  // A fork keeps its parent's as its own, for its forks to find.
  await catalog.runs.setBinding(run.id, binding);
  return { evalSet, graph, binding };
}

async function bindByContent(graph: GraphDescription, evalSet: LocalEvalSet, files: readonly SourceFile[], signal?: AbortSignal): Promise<WeightBinding> {
  const models = files.filter((file) => file.role === 'model');
  const tensors = models.flatMap((file) => file.layout.tensors);
  const tensorMap = evalSet.spec.tensorMap === undefined ? {} : { tensorMap: evalSet.spec.tensorMap };
  const wanted = new Set(tensorsToDigest({ graph, tensors, ...tensorMap }));
  const digests = new Map<string, string>();
  for (const file of models) {
    for (const entry of file.layout.tensors) {
      if (wanted.has(entry.name)) digests.set(entry.name, (await digestBytes(file.reader.stream(entry.startBytes, entry.endBytes, signal))).sha256);
    }
  }
  return bindWeights({ graph, tensors, digests, ...tensorMap }).binding;
}

async function parentBinding(catalog: Catalog, run: Run): Promise<WeightBinding | undefined> {
  const parent = run.parentCheckpointId === undefined ? undefined : await catalog.checkpoints.get(run.parentCheckpointId);
  const parentRun = parent === undefined ? undefined : await catalog.runs.get(parent.runId);
  return parentRun?.evalSetId === run.evalSetId ? parentRun?.binding : undefined;
}
