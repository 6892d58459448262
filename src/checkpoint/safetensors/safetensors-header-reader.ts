import { GrowingBytes } from './growing-bytes.ts';
import { parseSafetensorsHeader } from './parse-safetensors.ts';
import type { SafetensorsLayout } from './safetensors-layout.ts';
import { defaultSafetensorsLimits, type SafetensorsLimits } from './safetensors-limits.ts';
import { checkSafetensorsPrefix, prefixBytes, truncated } from './safetensors-prefix.ts';

/**
 * Checks the header of a safetensors file as its bytes arrive in pieces: other files are refused after nine bytes, a
 * wrong header as soon as its last byte is here. Memory is proportional to the header bytes that have arrived, never to
 * an announced length. Throws the errors of `parseSafetensorsHeader`.
 */
export class SafetensorsHeaderReader {
  readonly #fileBytes: number | undefined;
  readonly #limits: SafetensorsLimits;
  readonly #held = new GrowingBytes();
  #headerBytes: number | undefined;
  #layout: SafetensorsLayout | undefined;

  constructor(fileBytes?: number, limits: SafetensorsLimits = defaultSafetensorsLimits) {
    this.#fileBytes = fileBytes;
    this.#limits = limits;
  }

  /**
   * Takes the next bytes of the file; returns the layout once the header is complete, from then on at every call.
   * `piece` may be reused afterwards.
   */
  push(piece: Uint8Array): SafetensorsLayout | undefined {
    if (this.#layout !== undefined) return this.#layout;
    let rest = piece;
    if (this.#headerBytes === undefined) {
      rest = this.#hold(rest, prefixBytes);
      if (this.#held.length < prefixBytes) return undefined;
      this.#headerBytes = checkSafetensorsPrefix(this.#held.view(), this.#fileBytes, this.#limits);
    }
    this.#hold(rest, this.#headerBytes);
    if (this.#held.length < this.#headerBytes) return undefined;
    this.#layout = parseSafetensorsHeader(this.#held.view().slice(), this.#fileBytes, this.#limits);
    this.#held.clear();
    return this.#layout;
  }

  /** At the end of the file: the layout, or `header-truncated`. */
  finish(): SafetensorsLayout {
    if (this.#layout === undefined) throw truncated();
    return this.#layout;
  }

  /** Collects bytes until there are `untilBytes`; returns the rest. */
  #hold(piece: Uint8Array, untilBytes: number): Uint8Array {
    const taken = piece.subarray(0, untilBytes - this.#held.length);
    this.#held.append(taken);
    return piece.subarray(taken.length);
  }
}
