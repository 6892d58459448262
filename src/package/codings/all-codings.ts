import { bucketCoding } from './bucket-coding.ts';
import { bitmaskCoding } from './bitmask-coding.ts';
import type { CodingRule } from './coding-rule.ts';
import { exactCoding } from './exact-coding.ts';
import { levelCoding } from './level-coding.ts';
import { residualCoding } from './residual-coding.ts';
import { stateCoding } from './state-coding.ts';

/**
 * Every kind of coding with blocks of its own, in the order in which codes are looked up. A new kind is added here and
 * in restore/chain/decoders.
 */
const rules = {
  residual: residualCoding,
  buckets: bucketCoding,
  state: stateCoding,
  bitmask: bitmaskCoding,
  exact: exactCoding,
  levels: levelCoding,
} as const;

type Rules = typeof rules;
export type CodingKind = keyof Rules;

/** The coding of a tensor with blocks of its own. */
export type BlockedCoding = { [Kind in CodingKind]: Parameters<Rules[Kind]['codeOf']>[0] }[CodingKind];
/** The coding of a block. */
export type BlockCoding = { [Kind in CodingKind]: ReturnType<Rules[Kind]['blockOf']> }[CodingKind];

/** Any rule; use it only with codings of its own kind. */
export type AnyRule = CodingRule<BlockedCoding, BlockCoding>;

export function codingRuleOf({ kind }: { readonly kind: CodingKind }): AnyRule {
  // A coding's kind selects its own rule; TypeScript cannot express this for a union.
  return rules[kind] as unknown as AnyRule;
}

/** Every rule, in the order in which codes are looked up. */
export const codingRules: readonly AnyRule[] = Object.values(rules) as unknown as readonly AnyRule[];
