import type { Hysteresis, RoundingChoice } from '../../../checkpoint/options/methods/residual-search-options.ts';
import { wordsOf, type ConditionWords, type MethodConditions } from '../../../search/trial-conditions.ts';

/** What the quality of residuals depends on besides their config. */
export interface ResidualConditions {
  /** Id of the package that the checkpoint builds on; undefined if there is none. */
  readonly ancestor: string | undefined;
  /** Whether rounding compensated errors by measured inputs (GPTQ). */
  readonly gptq: boolean;
  readonly rounding: RoundingChoice;
  /** Undefined where weights are rounded to the nearest value, which knows no hysteresis. */
  readonly hysteresis: Hysteresis | undefined;
  /** Whether the bound on weights limits the step of every tensor. */
  readonly isLimited: boolean;
  /** Whether rounding and steps follow how weights moved since the ancestor's upload. */
  readonly isPulled: boolean;
}

const words: ConditionWords<Omit<ResidualConditions, 'ancestor'>> = {
  gptq: (used) => (used ? '+feedback' : ''),
  rounding: (choice) => (choice === 'nearest' ? '+nearest' : ''),
  hysteresis: (choice) => (choice === 'priced' ? '+priced' : ''),
  isLimited: (limited) => (limited ? '+limited' : ''),
  isPulled: (pulled) => (pulled ? '+follows' : ''),
};

export function residualConditions({ ancestor, ...others }: ResidualConditions): MethodConditions {
  return { ancestor: ancestor ?? 'base', others: wordsOf(words, others) };
}
