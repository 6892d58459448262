import type { Addon, CachedSymbolsHandle } from '../addon.ts';
import type { CachedSymbols } from '../core.ts';

/** Implements CachedSymbols with a C++ object. */
export class NativeCachedSymbols implements CachedSymbols {
  readonly memoryBytes: number;
  readonly #addon: Addon;
  #handle: CachedSymbolsHandle | undefined;

  constructor(addon: Addon, handle: CachedSymbolsHandle, memoryBytes: number) {
    this.#addon = addon;
    this.#handle = handle;
    this.memoryBytes = memoryBytes;
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
