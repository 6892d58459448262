import { configKey, type QuantizationConfig } from '../checkpoint/options/quantization-config.ts';
import type { Hysteresis, RoundingChoice } from '../checkpoint/options/search-options.ts';

/** What a method's quality depends on beside the config. A field is undefined where it does not depend on it. */
export interface MethodConditions {
  /** Package that the checkpoint builds on; `base` for none. */
  readonly ancestor: string | 'base' | undefined;
  /** Whether rounding made up for errors by measured inputs. */
  readonly feedback: boolean | undefined;
  readonly rounding: RoundingChoice | undefined;
  readonly hysteresis: Hysteresis | undefined;
  /** Bound on every tensor's error, in standard deviations of its weights. */
  readonly weightErrorMax: number | undefined;
}

/** All that the outcome of a trial depends on beside its config and what the checkpoint fixes. */
export interface TrialConditions extends MethodConditions {
  /** Whether the thresholds were judged on halves of the eval set, too. */
  readonly halves: boolean;
}

/** Of a method whose quality depends on the config alone. */
export const configAlone: MethodConditions = {
  ancestor: undefined,
  feedback: undefined,
  rounding: undefined,
  hysteresis: undefined,
  weightErrorMax: undefined,
};

/**
 * What each condition adds to a trial's key, in this order. The type asks for every field: an option that is added to
 * the conditions does not compile before its words are here. Keys are stored, so words must not change.
 */
const wordsOf: { readonly [Field in keyof TrialConditions]: (value: TrialConditions[Field]) => string } = {
  ancestor: (id) => (id === undefined ? '' : `@${id}`),
  feedback: (used) => (used === true ? '+feedback' : ''),
  rounding: (choice) => (choice === 'nearest' ? '+nearest' : ''),
  hysteresis: (choice) => (choice === 'priced' ? '+priced' : ''),
  weightErrorMax: (bound) => (bound === undefined ? '' : `+weights${bound}`),
  halves: (held) => (held ? '+halves' : ''),
};

/**
 * By which a trial is recorded and found again after a takeover: equal for the same config under the same conditions.
 */
export function trialKey(config: QuantizationConfig, conditions: TrialConditions): string {
  const fields = Object.keys(wordsOf) as (keyof TrialConditions)[];
  return configKey(config) + fields.map((field) => words(field, conditions)).join('');
}

function words<Field extends keyof TrialConditions>(field: Field, conditions: TrialConditions): string {
  return wordsOf[field](conditions[field]);
}
