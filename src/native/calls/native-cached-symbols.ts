import type { Addon, CachedSymbolsHandle } from '../addon.ts';
import type { CachedSymbols } from '../core.ts';

/** Bytes of a symbol and its context. */
const bytesPerElement = 2;

/** Implements CachedSymbols with a C++ object. */
export class NativeCachedSymbols implements CachedSymbols {
  readonly memoryBytes: number;
  readonly #addon: Addon;
  #handle: CachedSymbolsHandle | undefined;

  /** `elementCount`: of symbols in memory of the process, else 0. */
  constructor(addon: Addon, handle: CachedSymbolsHandle, elementCount: number) {
    this.#addon = addon;
    this.#handle = handle;
    this.memoryBytes = bytesPerElement * elementCount;
  }

  /** The C++ object of symbols that were not released. */
  static handleOf(symbols: CachedSymbols): CachedSymbolsHandle {
    if (!(symbols instanceof NativeCachedSymbols) || symbols.#handle === undefined)
      throw new TypeError('symbols must be CachedSymbols of the native core, and not released');
    return symbols.#handle;
  }

  release(): void {
    if (this.#handle !== undefined) this.#addon.releaseCachedSymbols(this.#handle);
    this.#handle = undefined;
  }
}
