import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import type { GraphDescription } from '../describe-graph.ts';
import type { ContentDigests } from '../match-by-content.ts';
import type { CheckpointTensor } from '../weight-binding.ts';
import type { PlainContent } from './refuse/plain-content.ts';

/** The parts of an eval set's spec about names. */
export type BindingSpec = Pick<EvalSetSpec, 'tensorMap' | 'constants' | 'unused'>;

/** Inputs of a binding, as far as headers describe them. */
export interface BindRequest extends BindingSpec {
  readonly graph: GraphDescription;
  readonly tensors: readonly CheckpointTensor[];
}

/** Facts about the bytes on both sides. */
export interface KnownBytes {
  /** Lowercase hex sha256 of the bytes of the tensors from `tensorsToDigest`; others may be included. */
  readonly digests?: ReadonlyMap<string, string>;
  /** From `digestInitializers`; without them nothing matches by content. */
  readonly contents?: ReadonlyMap<string, ContentDigests>;
  /** From `inspectConstants`; without them no constant is known to be a mask. */
  readonly plain?: ReadonlyMap<string, PlainContent>;
}
