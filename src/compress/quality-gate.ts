import type { Catalog, Run } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { EvalSetSpec } from '../checkpoint/eval-set-spec.ts';
import type { MetricValues, QualityThresholds } from '../checkpoint/quality.ts';
import type { LayerType } from '../checkpoint/layer-type.ts';
import type { TensorEntry } from '../checkpoint/safetensors-layout.ts';
import type { Evaluator, LocalEvalSet, WeightBinding } from '../evaluate/evaluator.ts';
import { bindWeights, tensorsToDigest } from '../graph/bind-weights.ts';
import { describeGraph, type GraphDescription } from '../graph/describe-graph.ts';
import { layerTypesFor } from '../graph/layer-types-for.ts';
import { digestBytes } from '../restore/digest-bytes.ts';
import type { SourceFile } from './model-source.ts';

/** The eval graph of a run, bound to the tensors of one checkpoint. */
export interface BoundGraph {
  readonly evalSet: LocalEvalSet;
  readonly graph: GraphDescription;
  readonly binding: WeightBinding;
}

/** Measures files on local disk against a run's eval set. */
export class QualityGate {
  readonly spec: EvalSetSpec;
  readonly thresholds: QualityThresholds;
  private readonly bound: BoundGraph;
  private readonly evaluator: Evaluator;

  constructor(bound: BoundGraph, thresholds: QualityThresholds, evaluator: Evaluator) {
    this.spec = bound.evalSet.spec;
    this.thresholds = thresholds;
    this.bound = bound;
    this.evaluator = evaluator;
  }

  get parallel(): number { return this.evaluator.parallel; }

  evaluate(weightPaths: readonly string[], signal?: AbortSignal): Promise<MetricValues> {
    return this.evaluator.evaluate({ evalSet: this.bound.evalSet, binding: this.bound.binding, weightPaths }, signal);
  }
}

/**
 * Binds the graph's initializers to the checkpoint's tensors. A binding found by equal bytes holds for the exact weights the graph was exported
 * from, so the first one found is kept with the run and used for all later checkpoints, forks included.
 */
export async function bindGraph(catalog: Catalog, run: Run, evalSet: LocalEvalSet, graphBytes: Uint8Array, files: readonly SourceFile[], signal?: AbortSignal): Promise<BoundGraph> {
  const graph = describeGraph(graphBytes);
  const known = run.binding ?? (await parentBinding(catalog, run));
  if (known !== undefined) return { evalSet, graph, binding: known };
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
  const { binding } = bindWeights({ graph, tensors, digests, ...tensorMap });
  await catalog.runs.setBinding(run.id, binding);
  return { evalSet, graph, binding };
}

async function parentBinding(catalog: Catalog, run: Run): Promise<WeightBinding | undefined> {
  const parent = run.parentCheckpointId === undefined ? undefined : await catalog.checkpoints.get(run.parentCheckpointId);
  const parentRun = parent === undefined ? undefined : await catalog.runs.get(parent.runId);
  return parentRun?.evalSetId === run.evalSetId ? parentRun?.binding : undefined;
}

/**
 * Model tensors that no metric sees: not bound to the graph, and not bit-identical to one that is (exporters merge equal weights). Losing
 * their precision would go unnoticed, so they are kept exact.
 */
export async function unmeasuredTensors(bound: BoundGraph, files: readonly SourceFile[], signal?: AbortSignal): Promise<Set<string>> {
  const used = new Set(Object.values(bound.binding).map(({ tensor }) => tensor));
  const all = files.filter((file) => file.role === 'model').flatMap((file) => file.layout.tensors.map((entry) => ({ file, entry })));
  const layoutOf = (entry: TensorEntry): string => `${entry.dtype} ${entry.shape.join('x')}`;
  const unused = all.filter(({ entry }) => !used.has(entry.name));
  const layouts = new Set(unused.map(({ entry }) => layoutOf(entry)));
  const digestOf = async ({ file, entry }: (typeof all)[number]): Promise<string> => `${layoutOf(entry)} ${(await digestBytes(file.reader.stream(entry.startBytes, entry.endBytes, signal))).sha256}`;
  const measured = new Set<string>();
  for (const each of all) if (used.has(each.entry.name) && layouts.has(layoutOf(each.entry))) measured.add(await digestOf(each));
  const found = new Set<string>();
  for (const each of unused) if (!measured.has(await digestOf(each))) found.add(each.entry.name);
  return found;
}

/** Layer types of the model's tensors: the run's overrides, the graph's operators, names and shapes. */
export function modelLayerTypes(run: Run, files: readonly SourceFile[], bound: BoundGraph | undefined): ReadonlyMap<string, LayerType> {
  const tensors: TensorEntry[] = files.filter((file) => file.role === 'model').flatMap((file) => file.layout.tensors);
  const names = new Set(tensors.map((tensor) => tensor.name));
  if (names.size !== tensors.length) throw new FirnError('tensor-duplicate', 'Two model files hold a tensor of the same name.');
  const overrides = Object.fromEntries(Object.entries(run.layerTypes).filter(([name]) => names.has(name)));
  return layerTypesFor({ tensors, overrides, ...(bound === undefined ? {} : { graph: bound.graph, binding: bound.binding }) });
}
