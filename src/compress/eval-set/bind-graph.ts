import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import type { LocalEvalSet } from '../../evaluate/evaluation-request.ts';
import type { WeightBinding } from '../../graph/weight-binding.ts';
import { bindGraphFile, checkBinding } from '../../graph/bind-graph-file.ts';
import type { BindingReport } from '../../graph/bind-weights.ts';
import { pairByHeaders } from '../../graph/binding/pair/pair-by-headers.ts';
import type { GraphDescription } from '../../graph/describe-graph.ts';
import { refuseSeparateHeads, separateHeads } from '../../graph/binding/refuse/separate-heads.ts';
import { mergedLayers, refuseMergedLayers } from '../../graph/binding/refuse/merged-layers.ts';
import { openGraphFile } from '../../graph/onnx/graph-file.ts';
import { digestBytes } from '../../restore/digest-bytes.ts';
import type { CompressContext } from '../compress-context.ts';
import { describeLocalGraph, type GraphCache } from './describe-local-graph.ts';
import { findMeasured, type MeasuredTensors } from '../upload/measured-tensors.ts';
import type { SourceFile } from '../upload/model-source.ts';

/** The eval graph of a run, bound to the tensors of one checkpoint. */
export interface BoundGraph {
  readonly evalSet: LocalEvalSet;
  readonly graph: GraphDescription;
  readonly binding: WeightBinding;
  /** How each initializer is filled in this checkpoint. */
  readonly report: BindingReport;
  /** The tensors of the checkpoint that affect the metrics. */
  readonly measured: MeasuredTensors;
}

/**
 * Binds the graph's initializers to the checkpoint's tensors. A binding found by equal bytes is valid only for the
 * exact weights that the graph was exported from. So the first binding is stored with the run and used for all later
 * checkpoints, also of forks. Each checkpoint is checked for initializers that would be left with the graph's own
 * numbers. The weights in the graph are read piece by piece, and only if names do not decide. Rejects with the errors
 * of `describeLocalGraph`, `bindWeights` and the store.
 */
export async function bindGraph(
  { catalog, graphs }: Pick<CompressContext, 'catalog' | 'graphs'>,
  run: Run,
  evalSet: LocalEvalSet,
  files: readonly SourceFile[],
  signal?: AbortSignal,
): Promise<BoundGraph> {
  const graph = await describeLocalGraph(graphs, evalSet.graphPath, signal);
  const own = run.bindingEvalSetId === run.evalSetId ? run.binding : undefined;
  const kept = own ?? (await parentBinding(catalog, run));
  const bound = await bindFiles({ graph, evalSet, files, kept }, signal);
  // A fork stores its parent's binding as its own, for its own forks.
  if (own === undefined) await catalog.runs.setBinding(run.id, run.evalSetId!, bound.binding);
  return { evalSet, graph, ...bound };
}

/** Like {@link bindGraph}, for a graph and a model on local disk that belong to no run. */
export async function bindLocalGraph(
  graphs: GraphCache,
  evalSet: LocalEvalSet,
  files: readonly ModelTensors[],
  signal?: AbortSignal,
): Promise<BoundGraph> {
  const graph = await describeLocalGraph(graphs, evalSet.graphPath, signal);
  return { evalSet, graph, ...(await bindFiles({ graph, evalSet, files, kept: undefined }, signal)) };
}

/** The parts of a file that a binding reads. */
type ModelTensors = Pick<SourceFile, 'role' | 'layout' | 'reader'>;

interface FilesToBind {
  readonly graph: GraphDescription;
  readonly evalSet: LocalEvalSet;
  readonly files: readonly ModelTensors[];
  /** The binding of an earlier checkpoint. */
  readonly kept: WeightBinding | undefined;
}

async function bindFiles({ graph, evalSet, files, kept }: FilesToBind, signal?: AbortSignal) {
  const models = files.filter((file) => file.role === 'model');
  const tensors = models.flatMap((file) => file.layout.tensors);
  const headers = pairByHeaders({ ...evalSet.spec, graph, tensors });
  const source = await openGraphFile(evalSet.graphPath);
  try {
    const bound =
      kept === undefined
        ? await bindGraphFile(
            headers,
            { source, digestTensors: (names) => digestTensors(models, names, signal) },
            signal,
          )
        : { binding: kept, report: await checkBinding(headers, source, kept, signal) };
    const { binding, report } = bound;
    const measured = await findMeasured(binding, files, signal);
    refuseSeparateHeads(separateHeads(headers, binding), measured.unmeasured);
    refuseMergedLayers(mergedLayers(headers, binding, measured.unmeasured), binding);
    return { binding, report, measured };
  } finally {
    await source.close();
  }
}

async function digestTensors(
  models: readonly ModelTensors[],
  names: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const file of models) {
    for (const entry of file.layout.tensors) {
      if (names.has(entry.name))
        digests.set(
          entry.name,
          (await digestBytes(file.reader.stream(entry.startBytes, entry.endBytes, signal))).sha256,
        );
    }
  }
  return digests;
}

async function parentBinding(catalog: Catalog, run: Run): Promise<WeightBinding | undefined> {
  const parent =
    run.parentCheckpointId === undefined ? undefined : await catalog.checkpoints.get(run.parentCheckpointId);
  const parentRun = parent === undefined ? undefined : await catalog.runs.get(parent.runId);
  return parentRun?.bindingEvalSetId === run.evalSetId ? parentRun?.binding : undefined;
}
