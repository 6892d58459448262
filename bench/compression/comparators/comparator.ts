import type { LayerType } from '../../../src/checkpoint/layer-type.ts';
import type { WeightTensor } from '../series/checkpoint-weights.ts';

/** Facts about a tensor that encoder and decoder both know. */
export interface TensorShape {
  readonly name: string;
  readonly elementCount: number;
  readonly layerType: LayerType;
}

export interface TensorValues extends TensorShape {
  readonly values: Float32Array;
}

/** The decoder's state after a checkpoint, on which the next one may build. By tensor, in the order of the shapes. */
export interface DecodedState {
  readonly values: readonly Float32Array[];
  /** Present if the method has bins. Absent after a checkpoint that was stored exact. */
  readonly bins?: readonly Int32Array[];
  /** Bytes of the bins with their tables. */
  readonly binBytes?: number;
}

/**
 * A method of another paper. Pure: its previous state is passed in, and decoding uses only the encoded bytes and that
 * state.
 */
export interface Comparator<Knob> {
  readonly name: string;
  /**
   * True if the method quantizes the weights themselves, false if it quantizes their change since the previous state.
   */
  readonly alwaysAfresh: boolean;
  readonly knobs: readonly Knob[];
  describe(knob: Knob): string;
  /** Whether the method takes the tensor; all others are stored exact. */
  takes(tensor: WeightTensor): boolean;
  encode(tensors: readonly TensorValues[], knob: Knob, previous: DecodedState | undefined): Uint8Array;
  decode(bytes: Uint8Array, shapes: readonly TensorShape[], previous: DecodedState | undefined): DecodedState;
}
