import { parseSafetensorsHeader } from './parse-safetensors.ts';
import type { SafetensorsLayout } from './safetensors-layout.ts';
import { defaultSafetensorsLimits, type SafetensorsLimits } from './safetensors-limits.ts';
import { checkSafetensorsPrefix, prefixBytes, truncated } from './safetensors-prefix.ts';

/**
 * Checks the header of a safetensors file whose bytes arrive in pieces: a file that is none is refused after nine bytes, a wrong header as soon as
 * its last byte is here. Memory follows the header's bytes that have arrived (at most twice as many), never what is merely announced, and does not
 * depend on how small the pieces are. Throws what `parseSafetensorsHeader` throws.
 */
export class SafetensorsHeaderReader {
  readonly #fileBytes: number | undefined;
  readonly #limits: SafetensorsLimits;
  #held = new Uint8Array(4096);
  #heldBytes = 0;
  #wantedBytes = prefixBytes;
  #layout: SafetensorsLayout | undefined;

  constructor(fileBytes?: number, limits: SafetensorsLimits = defaultSafetensorsLimits) {
    this.#fileBytes = fileBytes;
    this.#limits = limits;
  }

  /** Takes the next bytes of the file; returns the layout once the header is complete, from then on at every call. `piece` may be reused afterwards. */
  push(piece: Uint8Array): SafetensorsLayout | undefined {
    if (this.#layout !== undefined) return this.#layout;
    const rest = this.#hold(piece);
    if (this.#wantedBytes === prefixBytes && this.#heldBytes === prefixBytes) {
      this.#wantedBytes = checkSafetensorsPrefix(this.#held.subarray(0, prefixBytes), this.#fileBytes, this.#limits);
      this.#hold(rest);
    }
    if (this.#wantedBytes > prefixBytes && this.#heldBytes === this.#wantedBytes) {
      this.#layout = parseSafetensorsHeader(this.#held.slice(0, this.#heldBytes), this.#fileBytes, this.#limits);
      this.#held = new Uint8Array(0);
    }
    return this.#layout;
  }

  /** At the end of the file: the layout, or `header-truncated`. */
  finish(): SafetensorsLayout {
    if (this.#layout === undefined) throw truncated();
    return this.#layout;
  }

  /** Keeps bytes until the wanted ones are held; returns those left over. */
  #hold(piece: Uint8Array): Uint8Array {
    const taken = piece.subarray(0, this.#wantedBytes - this.#heldBytes);
    const neededBytes = this.#heldBytes + taken.length;
    if (neededBytes > this.#held.length) {
      const grown = new Uint8Array(Math.min(this.#wantedBytes, Math.max(neededBytes, 2 * this.#held.length)));
      grown.set(this.#held.subarray(0, this.#heldBytes));
      this.#held = grown;
    }
    this.#held.set(taken, this.#heldBytes);
    this.#heldBytes = neededBytes;
    return piece.subarray(taken.length);
  }
}
