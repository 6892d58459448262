import type { MethodConfig } from './method-config.ts';

/**
 * Closed-loop quantization of what changed since the ancestor, with one knob (docs/decisions/0013-residual-method.md).
 */
export interface ResidualConfig {
  readonly method: 'residual';
  /**
   * Quantization step of an average tensor, in 1/32 octaves of the standard deviation of all quantized matrices: 0 is
   * one standard deviation, 32 twice that. An integer, -512..256.
   */
  readonly step: number;
}

export const residualStepMin = -512;
export const residualStepMax = 256;

export const residualConfig: MethodConfig<ResidualConfig> = {
  method: 'residual',
  schemaName: 'ResidualConfig',
  fields: {
    step: {
      kind: 'integer',
      min: residualStepMin,
      max: residualStepMax,
      description:
        'Quantization step of an average tensor in 1/32 octaves of the standard deviation of all quantized matrices: 0 is one standard deviation, 32 two.',
    },
  },
  example: { method: 'residual', step: -16 },
  mergesDeltas: true,
  key: ({ step }) => [step],
  describe: ({ step }) => `step ${(2 ** (step / 32)).toFixed(2)}`,
};
