import type { MethodConfig } from './method-config.ts';

/** LC-Checkpoint (Chen et al. 2020, section 3.1): changes since the ancestor, in buckets by sign and exponent. */
export interface LcCheckpointConfig {
  readonly method: 'lc-checkpoint';
  /** Bits of a bucket's index, 1..8: the 2^bits - 1 buckets with the largest exponents are stored. */
  readonly bits: number;
}

export const promotionBitsMin = 1;
export const promotionBitsMax = 8;

export const lcCheckpointConfig: MethodConfig<LcCheckpointConfig> = {
  method: 'lc-checkpoint',
  schemaName: 'LcCheckpointConfig',
  fields: {
    bits: {
      kind: 'integer',
      min: promotionBitsMin,
      max: promotionBitsMax,
      description:
        "Bits of priority promotion, the paper's x: of what changed since the ancestor the 2^bits - 1 " +
        'buckets of the largest exponents are kept in every block, the others count as no change. A base is ' +
        'whole, whatever they are.',
    },
  },
  example: { method: 'lc-checkpoint', bits: 3 },
  mergesDeltas: true,
  key: ({ bits }) => [bits],
  describe: ({ bits }) => `${bits}-bit promotion`,
};
