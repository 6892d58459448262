import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import type { GraphDescription } from '../describe-graph.ts';
import type { ContentDigests } from '../match-by-content.ts';
import type { CheckpointTensor } from '../weight-binding.ts';
import type { PlainContent } from './refuse/plain-content.ts';

/** What an eval set's spec says of names. */
export type BindingSpec = Pick<EvalSetSpec, 'tensorMap' | 'constants' | 'unused'>;

/** What a graph's initializers are bound to, as far as headers tell. */
export interface BindRequest extends BindingSpec {
  readonly graph: GraphDescription;
  readonly tensors: readonly CheckpointTensor[];
}

/** What is known of the bytes on both sides. */
export interface KnownBytes {
  /** Lowercase hex sha256 of the bytes of the tensors that `tensorsToDigest` names; others may be there too. */
  readonly digests?: ReadonlyMap<string, string>;
  /** From `digestInitializers`; without them nothing matches by content. */
  readonly contents?: ReadonlyMap<string, ContentDigests>;
  /** From `inspectConstants`; without them no constant is known to be a mask. */
  readonly plain?: ReadonlyMap<string, PlainContent>;
}
