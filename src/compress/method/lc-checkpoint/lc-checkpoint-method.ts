import { isQuantizable } from '../../../checkpoint/dtype.ts';
import type { Method } from '../method.ts';
import { lcCheckpointQuantization } from './lc-checkpoint-quantization.ts';

/**
 * The paper's method (LC-Checkpoint, Chen et al. 2020): what changed since the last rebuilt state, in buckets by sign
 * and exponent. As in its algorithm 1 the first checkpoint is whole.
 */
export const lcCheckpointMethod: Method = {
  name: 'lc-checkpoint',
  // All parameters, as the paper has it; buffers are none.
  codingOf: ({ layerType, entry }) =>
    layerType !== 'buffer' && isQuantizable(entry.dtype) && entry.elementCount > 0 ? { kind: 'buckets' } : undefined,
  ancestry: { kind: 'nearest' },
  begin: ({ source, core }) => ({
    quantization: ({ model: { plan }, ancestor }) =>
      Promise.resolve(lcCheckpointQuantization({ source, core, plan, ancestor })),
    close: () => undefined,
  }),
};
