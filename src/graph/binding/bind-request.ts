import type { EvalSetSpec } from '../../checkpoint/eval-set-spec.ts';
import type { GraphDescription } from '../describe-graph.ts';
import type { ContentDigests } from '../match-by-content.ts';
import type { CheckpointTensor } from '../weight-binding.ts';
import type { PlainContent } from './refuse/plain-content.ts';

/** What a graph's initializers are bound to, and what is known of the bytes on both sides. */
export interface BindRequest {
  readonly graph: GraphDescription;
  readonly tensors: readonly CheckpointTensor[];
  readonly tensorMap?: EvalSetSpec['tensorMap'];
  /** Of the eval set: names of constants that are no weights. */
  readonly constants?: EvalSetSpec['constants'];
  /** Lowercase hex sha256 of the bytes of the tensors that `tensorsToDigest` names; others may be there too. */
  readonly digests?: ReadonlyMap<string, string>;
  /** From `digestInitializers`; without them nothing matches by content. */
  readonly contents?: ReadonlyMap<string, ContentDigests>;
  /** From `inspectConstants`; without them no constant is known to be a mask. */
  readonly plain?: ReadonlyMap<string, PlainContent>;
}
