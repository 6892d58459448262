import type { MethodConfig } from './method-config.ts';

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

export const residualConfig: MethodConfig<ResidualConfig> = {
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
  searchOptions: {
    rounding:
      'Of the method `residual`: with `nearest` a weight moves wherever another step is nearer, so that ' +
      'rebuilt checkpoints follow training; ' +
      'with `archive` only where that is worth its bits. That takes fewer bytes, and rebuilt checkpoints lag ' +
      'behind: it is for those that nobody will train on.',
    hysteresis:
      'Of the method `residual` with rounding `archive`: with `fixed` what a weight has to gain to move is ' +
      'the same for all; with `priced` it goes with the bits ' +
      'that its move costs more than staying, after what it and those like it did before.',
    weightErrorMax:
      'With the method `residual` a tensor beyond it gets finer quantization steps, whatever the metrics ' +
      'say; with others the config does not pass.',
  },
  example: { method: 'residual', step: -16 },
  mergesDeltas: true,
  key: ({ step }) => [step],
  describe: ({ step }) => `step ${(2 ** (step / 32)).toFixed(2)}`,
};
