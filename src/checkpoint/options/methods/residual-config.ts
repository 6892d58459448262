import type { MethodConfig } from './method-config.ts';
import { residualSearchOptions, type ResidualSearchOptions } from './residual-search-options.ts';

/**
 * Closed-loop quantization of the change since the ancestor, with one knob (docs/decisions/0013-residual-method.md).
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

/** Digits of a step size: two indexes next to each other differ by two percent. */
const shownDigits = 4;

export const residualConfig: MethodConfig<ResidualConfig, ResidualSearchOptions> = {
  method: 'residual',
  schemaName: 'ResidualConfig',
  fields: {
    step: {
      kind: 'integer',
      min: residualStepMin,
      max: residualStepMax,
      description:
        'Index of the quantization step of an average tensor (no training step), in 1/32 octaves of the ' +
        'standard deviation of all quantized matrices: 0 is one standard deviation, 32 two.',
    },
  },
  derived: {
    stepSize: {
      description:
        'The quantization step itself, in standard deviations of all quantized matrices: 2^(step/32). It ' +
        'follows from `step`.',
      of: ({ step }) => Number((2 ** (step / 32)).toPrecision(shownDigits)),
    },
  },
  searchOptions: residualSearchOptions,
  weightErrorDescription:
    'With the method `residual` no tensor has coarser quantization steps than it allows, whatever the metrics ' +
    'say and whatever step is given; with others the config does not pass.',
  example: { method: 'residual', step: -16 },
  mergesDeltas: true,
  key: ({ step }) => [step],
  describe: ({ step }) => `step ${(2 ** (step / 32)).toFixed(2)}`,
};
