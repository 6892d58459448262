import type { LayerType } from '../../../src/checkpoint/layer-type.ts';
import type { WeightTensor } from '../checkpoint-weights.ts';

/** What encoder and decoder both know of a tensor. */
export interface TensorShape {
  readonly name: string;
  readonly elementCount: number;
  readonly layerType: LayerType;
}

export interface TensorValues extends TensorShape {
  readonly values: Float32Array;
}

/** What a decoder has after a checkpoint: the next one may build on it. By tensor, in the order of the shapes. */
export interface DecodedState {
  readonly values: readonly Float32Array[];
  /** Where the method has bins. Absent after a checkpoint that was stored exact. */
  readonly bins?: readonly Int32Array[];
  /** Bytes of the bins with their tables. */
  readonly binBytes?: number;
}

/**
 * A method of another paper. Pure: what it builds on is passed in, and decoding takes only what was encoded and the
 * previous state.
 */
export interface Comparator<Knob> {
  readonly name: string;
  /** True where the weights themselves are quantized; false where it is what changed since the previous state. */
  readonly alwaysAfresh: boolean;
  readonly knobs: readonly Knob[];
  describe(knob: Knob): string;
  /** Tensors it is given; all others are stored exact. */
  takes(tensor: WeightTensor): boolean;
  encode(tensors: readonly TensorValues[], knob: Knob, previous: DecodedState | undefined): Uint8Array;
  decode(bytes: Uint8Array, shapes: readonly TensorShape[], previous: DecodedState | undefined): DecodedState;
}
