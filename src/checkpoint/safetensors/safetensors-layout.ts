import type { Dtype } from '../dtype.ts';

/** One tensor of a safetensors file. Offsets are from the start of the file, end exclusive. */
export interface TensorEntry {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** Product of the shape, 1 for a scalar; for dtypes with packed numbers (F4, F6), the number of bytes. */
  readonly elementCount: number;
  readonly startBytes: number;
  readonly endBytes: number;
}

/**
 * A checked safetensors file: its header exactly as uploaded, and its tensors in offset order without gaps or overlaps.
 */
export interface SafetensorsLayout {
  /** The 8 length bytes and the JSON, byte for byte. */
  readonly headerBytes: Uint8Array;
  readonly sizeBytes: number;
  readonly tensors: readonly TensorEntry[];
  readonly metadata: Readonly<Record<string, string>>;
}
