import type { CachedSymbols } from '../../../../native/core.ts';

/**
 * Symbols of blocks kept from the pass that found them for the one that stores them, up to a bound for all quantized
 * models together: the model whose room was taken last has it all, those before it forget. What is not found here is
 * found again from the weights, so nothing but time depends on it.
 */
export class SymbolCache {
  readonly #maxBytes: number;
  #modelSymbols: ModelSymbols | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** An empty modelSymbols with the whole room. */
  take(): ModelSymbols {
    this.clear();
    this.#modelSymbols = new ModelSymbols(this.#maxBytes);
    return this.#modelSymbols;
  }

  /** Gives all memory back; for the end of an encode. */
  clear(): void {
    this.#modelSymbols?.clear();
  }
}

/** One quantized model's symbols by block. */
export class ModelSymbols {
  readonly #blocks = new Map<string, CachedSymbols>();
  #roomBytes: number;

  constructor(roomBytes: number) {
    this.#roomBytes = roomBytes;
  }

  /** Whether there is room for anything more. */
  get hasRoom(): boolean {
    return this.#roomBytes > 0;
  }

  has(key: string): boolean {
    return this.#blocks.has(key);
  }

  get(key: string): CachedSymbols | undefined {
    return this.#blocks.get(key);
  }

  /** Takes the symbols, or gives them back to the core where they do not fit. */
  set(key: string, symbols: CachedSymbols): void {
    this.delete(key);
    if (symbols.memoryBytes > this.#roomBytes) return symbols.release();
    this.#roomBytes -= symbols.memoryBytes;
    this.#blocks.set(key, symbols);
  }

  delete(key: string): void {
    const symbols = this.#blocks.get(key);
    if (symbols === undefined) return;
    this.#roomBytes += symbols.memoryBytes;
    this.#blocks.delete(key);
    symbols.release();
  }

  /** Forgets everything and takes nothing any more. */
  clear(): void {
    for (const symbols of this.#blocks.values()) symbols.release();
    this.#blocks.clear();
    this.#roomBytes = 0;
  }
}
