import type { Run } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import type { GraphDescription } from '../../graph/describe-graph.ts';
import { layerTypesFor } from '../../graph/layers/layer-types-for.ts';
import type { WeightBinding } from '../../graph/weight-binding.ts';
import type { SourceFile } from '../upload/model-source.ts';

/** The eval graph, bound to the model. */
export interface MeasuredBy {
  readonly graph: GraphDescription;
  readonly binding: WeightBinding;
  /** From a tensor that the graph does not see to the measured one that is always equal to it. */
  readonly twins: ReadonlyMap<string, string>;
}

/**
 * Layer types of the model's tensors, from the merged overrides of the run and the checkpoint (overrides for unknown
 * names have no effect, see override-warnings.ts), the graph's operators, names and shapes. A twin of a measured tensor
 * (measured-tensors.ts) has the same layer type, so that both are quantized alike. Throws `tensor-duplicate`.
 */
export function modelLayerTypes(
  run: Pick<Run, 'layerTypes'>,
  files: readonly SourceFile[],
  measuredBy?: MeasuredBy,
): ReadonlyMap<string, LayerType> {
  const tensors = files.filter((file) => file.role === 'model').flatMap((file) => file.layout.tensors);
  const names = new Set(tensors.map((tensor) => tensor.name));
  if (names.size !== tensors.length)
    throw new FirnError('tensor-duplicate', 'Two model files hold a tensor of the same name.');
  const overrides = Object.fromEntries(Object.entries(run.layerTypes).filter(([name]) => names.has(name)));
  const types = new Map(
    layerTypesFor({
      tensors,
      overrides,
      ...(measuredBy === undefined ? {} : { graph: measuredBy.graph, binding: measuredBy.binding }),
    }),
  );
  for (const [name, twin] of measuredBy?.twins ?? [])
    if (!Object.hasOwn(overrides, name)) types.set(name, types.get(twin)!);
  return types;
}
