import type { WeightFile, WeightShape } from './weight-file.ts';

type MaybePromise<T> = T | Promise<T>;

/**
 * Lossless coding of a file's weights. What a call prepares is not timed; the functions that it gives back are, except
 * where they say so.
 */
export interface ExactMethod {
  readonly name: string;
  /**
   * `previous` is the same file of the checkpoint before, with tensors of the same lengths; what must be given depends
   * on the method.
   */
  encoder(current: WeightFile, previous: WeightFile | undefined): () => MaybePromise<readonly Uint8Array[]>;
  /** Knows nothing of the file but its payloads, its shape and the previous file. */
  decoder(payloads: readonly Uint8Array[], shape: WeightShape, previous: WeightFile | undefined): ExactDecoder;
}

export interface ExactDecoder {
  decode(): MaybePromise<readonly Uint8Array[]>;
  /** The file's bytes from what `decode` gave; not timed. */
  rebuild(parts: readonly Uint8Array[]): Uint8Array;
}

/**
 * The previous file of a method that cannot do without. Throws a TypeError where there is none or it is of another
 * length.
 */
export function requirePrevious({ layout }: WeightShape, previous: WeightFile | undefined): WeightFile {
  if (previous?.bytes.length !== layout.sizeBytes)
    throw new TypeError('a file of the same length to code against is missing');
  return previous;
}
