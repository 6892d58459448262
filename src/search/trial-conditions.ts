import { configKey, type QuantizationConfig } from '../checkpoint/options/quantization-config.ts';
import type { Hysteresis, RoundingChoice } from '../checkpoint/options/methods/residual-search-options.ts';

/**
 * Conditions besides the config that a method's quality depends on. A field is undefined if the method does not depend
 * on it.
 */
export interface MethodConditions {
  /** Id of the package that the checkpoint builds on; `base` if there is none. */
  readonly ancestor: string | 'base' | undefined;
  /** Whether rounding compensated errors by measured inputs (GPTQ). */
  readonly gptq: boolean | undefined;
  readonly rounding: RoundingChoice | undefined;
  readonly hysteresis: Hysteresis | undefined;
}

/** All conditions besides the config and the checkpoint's own settings that the outcome of a trial depends on. */
export interface TrialConditions extends MethodConditions {
  /** Bound on every tensor's error, in standard deviations of its weights. */
  readonly weightErrorMax: number | undefined;
  /** Whether the thresholds were also judged on halves of the eval set. */
  readonly halves: boolean;
  /** Whether it was also judged by standard errors or divergences. */
  readonly guarded: boolean;
}

/** For a method whose quality depends on the config alone. */
export const configAlone: MethodConditions = {
  ancestor: undefined,
  gptq: undefined,
  rounding: undefined,
  hysteresis: undefined,
};

/**
 * The words that each condition adds to a trial's key, in this order. The type requires every field: a new condition
 * does not compile before its words are here. Keys are stored, so these words must not change.
 */
const wordsOf: { readonly [Field in keyof TrialConditions]: (value: TrialConditions[Field]) => string } = {
  ancestor: (id) => (id === undefined ? '' : `@${id}`),
  gptq: (used) => (used === true ? '+feedback' : ''),
  rounding: (choice) => (choice === 'nearest' ? '+nearest' : ''),
  hysteresis: (choice) => (choice === 'priced' ? '+priced' : ''),
  weightErrorMax: (bound) => (bound === undefined ? '' : `+weights${bound}`),
  halves: (held) => (held ? '+halves' : ''),
  guarded: (held) => (held ? '+guarded' : ''),
};

/**
 * Key under which a trial is recorded and found again after a takeover: equal for the same config under the same
 * conditions.
 */
export function trialKey(config: QuantizationConfig, conditions: TrialConditions): string {
  const fields = Object.keys(wordsOf) as (keyof TrialConditions)[];
  return configKey(config) + fields.map((field) => words(field, conditions)).join('');
}

function words<Field extends keyof TrialConditions>(field: Field, conditions: TrialConditions): string {
  return wordsOf[field](conditions[field]);
}
