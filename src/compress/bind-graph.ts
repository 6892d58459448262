import type { Catalog, Run } from '../catalog/catalog.ts';
import type { LocalEvalSet, WeightBinding } from '../evaluate/evaluator.ts';
import { bindWeights, tensorsToDigest, type BindRequest } from '../graph/bind-weights.ts';
import type { GraphDescription } from '../graph/describe-graph.ts';
import { digestInitializers } from '../graph/digest-initializers.ts';
import { openGraphFile } from '../graph/graph-file.ts';
import { digestBytes } from '../restore/digest-bytes.ts';
import type { CompressContext } from './compress-context.ts';
import { describeLocalGraph } from './describe-local-graph.ts';
import type { SourceFile } from './model-source.ts';

/** The eval graph of a run, bound to the tensors of one checkpoint. */
export interface BoundGraph {
  readonly evalSet: LocalEvalSet;
  readonly graph: GraphDescription;
  readonly binding: WeightBinding;
}

/**
 * Binds the graph's initializers to the checkpoint's tensors. A binding found by equal bytes holds for the exact weights the graph was exported
 * from, so the first one found is kept with the run and used for all later checkpoints, forks included. The weights in the graph are read piece by
 * piece, and only where names do not decide. Rejects as `describeLocalGraph` and `bindWeights`, and with the store's errors.
 */
export async function bindGraph(
  { catalog, graphs }: Pick<CompressContext, 'catalog' | 'graphs'>,
  run: Run,
  evalSet: LocalEvalSet,
  files: readonly SourceFile[],
  signal?: AbortSignal,
): Promise<BoundGraph> {
  const graph = await describeLocalGraph(graphs, evalSet.graphPath, signal);
  if (run.binding !== undefined && run.bindingEvalSetId === run.evalSetId) return { evalSet, graph, binding: run.binding };
  const binding = (await parentBinding(catalog, run)) ?? (await bindByContent(graph, evalSet, files, signal));
  // A fork keeps its parent's as its own, for its forks to find.
  await catalog.runs.setBinding(run.id, run.evalSetId!, binding);
  return { evalSet, graph, binding };
}

async function bindByContent(graph: GraphDescription, evalSet: LocalEvalSet, files: readonly SourceFile[], signal?: AbortSignal): Promise<WeightBinding> {
  const models = files.filter((file) => file.role === 'model');
  const tensors = models.flatMap((file) => file.layout.tensors);
  const { tensorMap } = evalSet.spec;
  const request = { graph, tensors, ...(tensorMap && { tensorMap }) };
  const wanted = new Set(tensorsToDigest(request));
  const digests = new Map<string, string>();
  for (const file of models) {
    for (const entry of file.layout.tensors) {
      if (wanted.has(entry.name)) digests.set(entry.name, (await digestBytes(file.reader.stream(entry.startBytes, entry.endBytes, signal))).sha256);
    }
  }
  const contents = wanted.size === 0 ? new Map() : await digestGraphFile(evalSet.graphPath, { ...request, digests }, signal);
  return bindWeights({ ...request, digests, contents }).binding;
}

async function digestGraphFile(graphPath: string, request: BindRequest, signal?: AbortSignal) {
  const file = await openGraphFile(graphPath);
  try {
    return await digestInitializers(file, request, signal);
  } finally {
    await file.close();
  }
}

async function parentBinding(catalog: Catalog, run: Run): Promise<WeightBinding | undefined> {
  const parent = run.parentCheckpointId === undefined ? undefined : await catalog.checkpoints.get(run.parentCheckpointId);
  const parentRun = parent === undefined ? undefined : await catalog.runs.get(parent.runId);
  return parentRun?.bindingEvalSetId === run.evalSetId ? parentRun?.binding : undefined;
}
