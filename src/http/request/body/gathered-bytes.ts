import { FirnError } from '../../../checkpoint/firn-error.ts';

/** JSON bodies of all requests of one app, in bytes: what clients withhold the rest of is held meanwhile. */
export const gatheredBytesMax = 128 * 1024 * 1024;

/** Bytes of bodies that an app holds in memory until they are whole. */
export class GatheredBytes {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number = gatheredBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Counts bytes that are held from now on, also where it refuses: give them back either way. `overloaded` beyond the
   * bound.
   */
  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#bytesMax)
      throw new FirnError('overloaded', 'Too many requests with large bodies are in work.');
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }
}
