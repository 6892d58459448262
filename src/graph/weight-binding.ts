import type { Dtype } from '../checkpoint/dtype.ts';

/** Where each graph initializer comes from: a tensor of the checkpoint, possibly transposed (2-D only). */
export type WeightBinding = Readonly<Record<string, { readonly tensor: string; readonly transpose: boolean }>>;

/** What a graph is matched against: the header of a checkpoint tensor. */
export interface CheckpointTensor {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
}
