import type { MethodConfig } from './method-config.ts';

/**
 * BitSnap (sections 3.3 and 3.4): of 16-bit weights, those that changed since a base, restored exactly as uploaded;
 * optimizer state in clusters.
 */
export interface BitsnapConfig {
  readonly method: 'bitsnap';
  /**
   * A base every so many checkpoints; those between are deltas to it (the paper's `MAX_CACHED_ITERATION`, section 4.4).
   * 1..12.
   */
  readonly baseEvery: number;
}

/** The search for a base looks this many checkpoints back (compress/ancestor/find-ancestor.ts). */
export const baseEveryMax = 12;

/** The paper names no number; its figure 9 follows ten iterations. */
const defaultConfig: BitsnapConfig = { method: 'bitsnap', baseEvery: 10 };

export const bitsnapConfig: MethodConfig<BitsnapConfig> = {
  method: 'bitsnap',
  schemaName: 'BitsnapConfig',
  fields: {
    baseEvery: {
      kind: 'integer',
      min: 1,
      max: baseEveryMax,
      description: 'A base every so many checkpoints; those between are deltas to it. 10 where a run gives no config.',
    },
  },
  example: defaultConfig,
  unsearched: defaultConfig,
  mergesDeltas: false,
  key: ({ baseEvery }) => [baseEvery],
  describe: ({ baseEvery }) => `base every ${baseEvery}`,
};
