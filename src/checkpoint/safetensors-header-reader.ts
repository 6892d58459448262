import { parseSafetensorsHeader } from './parse-safetensors.ts';
import type { SafetensorsLayout } from './safetensors-layout.ts';
import { defaultSafetensorsLimits, type SafetensorsLimits } from './safetensors-limits.ts';
import { checkSafetensorsPrefix, prefixBytes, truncated } from './safetensors-prefix.ts';

/**
 * Checks the header of a safetensors file whose bytes arrive in pieces: a file that is none is refused after nine bytes, a wrong header as soon as
 * its last byte is here. Holds the header's bytes that have arrived, never what it merely announces. Throws what `parseSafetensorsHeader` throws.
 */
export class SafetensorsHeaderReader {
  readonly #fileBytes: number | undefined;
  readonly #limits: SafetensorsLimits;
  readonly #pieces: Uint8Array[] = [];
  #heldBytes = 0;
  #headerBytes: number | undefined;
  #layout: SafetensorsLayout | undefined;

  constructor(fileBytes?: number, limits: SafetensorsLimits = defaultSafetensorsLimits) {
    this.#fileBytes = fileBytes;
    this.#limits = limits;
  }

  /** Takes the next bytes of the file; returns the layout once the header is complete, from then on at every call. `piece` may be reused afterwards. */
  push(piece: Uint8Array): SafetensorsLayout | undefined {
    let rest = piece;
    if (this.#layout === undefined && this.#headerBytes === undefined) {
      rest = this.#hold(rest, prefixBytes);
      if (this.#heldBytes === prefixBytes) this.#headerBytes = checkSafetensorsPrefix(this.#join(), this.#fileBytes, this.#limits);
    }
    if (this.#layout === undefined && this.#headerBytes !== undefined) {
      this.#hold(rest, this.#headerBytes);
      if (this.#heldBytes === this.#headerBytes) this.#layout = parseSafetensorsHeader(this.#join(), this.#fileBytes, this.#limits);
    }
    return this.#layout;
  }

  /** At the end of the file: the layout, or `header-truncated`. */
  finish(): SafetensorsLayout {
    if (this.#layout === undefined) throw truncated();
    return this.#layout;
  }

  /** Keeps bytes until `untilBytes` are held; returns those left over. */
  #hold(piece: Uint8Array, untilBytes: number): Uint8Array {
    const taken = Math.min(piece.length, untilBytes - this.#heldBytes);
    if (taken > 0) this.#pieces.push(Uint8Array.from(piece.subarray(0, taken)));
    this.#heldBytes += taken;
    return piece.subarray(taken);
  }

  #join(): Uint8Array {
    const joined = new Uint8Array(this.#heldBytes);
    let at = 0;
    for (const piece of this.#pieces.splice(0)) {
      joined.set(piece, at);
      at += piece.length;
    }
    this.#pieces.push(joined);
    return joined;
  }
}
