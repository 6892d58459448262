import type { DeviceScope } from '../../../native/core.ts';
import type { ModelSource } from '../../upload/model-source.ts';

/** Reads a checkpoint's weights and gradients block by block. */
export type WeightSource = Pick<ModelSource, 'readWeights' | 'hasGradients'>;

/**
 * Gives each block the name under which a device holds it, so that only the first pass over a model sends it there;
 * without a device it is the source itself.
 */
export function heldWeights(source: ModelSource, scope: DeviceScope | undefined): WeightSource {
  if (scope === undefined) return source;
  return {
    // Tensors that are stored once may lose theirs later.
    get hasGradients() {
      return source.hasGradients;
    },
    readWeights: async (file, block, signal) => {
      const parts = block.segments.map((part) => `${part.tensor},${part.firstElement},${part.elementCount}`);
      return {
        ...(await source.readWeights(file, block, signal)),
        heldAs: scope.name(`weights/${file}/${parts.join('/')}`),
      };
    },
  };
}
