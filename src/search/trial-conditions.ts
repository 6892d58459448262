import type { DeviceKind } from '../checkpoint/device-kind.ts';
import { configKey, type QuantizationConfig } from '../checkpoint/options/quantization-config.ts';

/** Conditions besides the config that a method's quality depends on. */
export interface MethodConditions {
  /** Id of the package that the checkpoint builds on; `base` if there is none, undefined if it makes no difference. */
  readonly ancestor: string | 'base' | undefined;
  /** What else the method looks at, as words of the key (`wordsOf`); empty if there is nothing. */
  readonly others: string;
}

/** All conditions besides the config and the checkpoint's own settings that the outcome of a trial depends on. */
export interface TrialConditions extends MethodConditions {
  /** Bound on every tensor's error, in standard deviations of its weights. */
  readonly weightErrorMax: number | undefined;
  /** Whether the thresholds were also judged on halves of the eval set. */
  readonly halves: boolean;
  /** Whether it was also judged by standard errors or divergences. */
  readonly guarded: boolean;
  /** What it was measured on: devices round differently, so figures of two kinds are never compared. */
  readonly device: DeviceKind;
}

/** For a method whose quality depends on the config alone. */
export const configAlone: MethodConditions = { ancestor: undefined, others: '' };

/**
 * The words that each condition adds to a trial's key. The type requires every field: a new condition does not compile
 * before its words are there. Keys are stored, so words and their order must not change.
 */
export type ConditionWords<Conditions> = {
  readonly [Field in keyof Conditions]: (value: Conditions[Field]) => string;
};

const words: ConditionWords<TrialConditions> = {
  ancestor: (id) => (id === undefined ? '' : `@${id}`),
  others: (text) => text,
  weightErrorMax: (bound) => (bound === undefined ? '' : `+weights${bound}`),
  halves: (held) => (held ? '+halves' : ''),
  guarded: (held) => (held ? '+guarded' : ''),
  device: (kind) => (kind === 'cpu' ? '' : `+${kind}`),
};

/**
 * Key under which a trial is recorded and found again after a takeover: equal for the same config under the same
 * conditions.
 */
export function trialKey(config: QuantizationConfig, conditions: TrialConditions): string {
  return configKey(config) + wordsOf(words, conditions);
}

/** The words of all conditions, in the order of `table`. */
export function wordsOf<Conditions>(table: ConditionWords<Conditions>, conditions: Conditions): string {
  const fields = Object.keys(table) as (keyof Conditions)[];
  return fields.map((field) => table[field](conditions[field])).join('');
}
