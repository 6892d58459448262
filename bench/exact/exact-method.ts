import type { WeightFile, WeightShape } from './weight-file.ts';

type MaybePromise<T> = T | Promise<T>;

/**
 * Lossless coding of a file's weights. The preparation in a call is not timed; the returned functions are, unless they
 * say otherwise.
 */
export interface ExactMethod {
  readonly name: string;
  /**
   * `previous` is the same file of the checkpoint before, with tensors of the same lengths; the method decides whether
   * it is needed.
   */
  encoder(current: WeightFile, previous: WeightFile | undefined): () => MaybePromise<readonly Uint8Array[]>;
  /** Knows only the file's payloads, its shape and the previous file. */
  decoder(payloads: readonly Uint8Array[], shape: WeightShape, previous: WeightFile | undefined): ExactDecoder;
}

export interface ExactDecoder {
  decode(): MaybePromise<readonly Uint8Array[]>;
  /** The file's bytes from the result of `decode`; not timed. */
  rebuild(parts: readonly Uint8Array[]): Uint8Array;
}

/** The previous file of a method that needs one. Throws a TypeError if it is missing or has another length. */
export function requirePrevious({ layout }: WeightShape, previous: WeightFile | undefined): WeightFile {
  if (previous?.bytes.length !== layout.sizeBytes)
    throw new TypeError('a file of the same length to code against is missing');
  return previous;
}
