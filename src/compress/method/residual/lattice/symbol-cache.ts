import type { CachedSymbols } from '../../../../native/core.ts';

/**
 * Caches the symbols of blocks between the pass that computes them and the pass that stores them. One bound covers all
 * quantized models: the latest model gets the whole room, and earlier models lose their symbols. Missing symbols are
 * computed again from the weights, so the cache saves time and changes nothing else.
 */
export class SymbolCache {
  readonly #maxBytes: number;
  #modelSymbols: ModelSymbols | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Empty {@link ModelSymbols} with the whole room. */
  take(): ModelSymbols {
    this.clear();
    this.#modelSymbols = new ModelSymbols(this.#maxBytes);
    return this.#modelSymbols;
  }

  /** Frees all memory at the end of an encode. */
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

  /** Caches the symbols, or releases them if they do not fit. */
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

  /** Releases everything and caches nothing more. */
  clear(): void {
    for (const symbols of this.#blocks.values()) symbols.release();
    this.#blocks.clear();
    this.#roomBytes = 0;
  }
}
