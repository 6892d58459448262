import { FirnError } from '../../../checkpoint/firn-error.ts';

/** Most bytes of JSON bodies in memory, over all requests of one app: a client may hold back the rest of a body. */
export const gatheredBytesMax = 128 * 1024 * 1024;

/** Counts the bytes of incomplete bodies that an app holds in memory. */
export class GatheredBytes {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number = gatheredBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /** Adds bytes, even if it refuses them; give them back in both cases. `overloaded` beyond the limit. */
  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#bytesMax)
      throw new FirnError('overloaded', 'Too many requests with large bodies are in work.');
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }
}
