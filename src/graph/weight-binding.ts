import type { Dtype } from '../checkpoint/dtype.ts';

/** The tensor of the checkpoint that fills each graph initializer, possibly transposed (2-D only). */
export type WeightBinding = Readonly<Record<string, { readonly tensor: string; readonly transpose: boolean }>>;

/** The header of a checkpoint tensor, which a graph is matched against. */
export interface CheckpointTensor {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
}
