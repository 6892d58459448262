import type { Addon, KeptMovesHandle } from '../addon.ts';
import type { KeptMoves } from '../core.ts';

/** Of a symbol and its context. */
const bytesPerElement = 2;

/** KeptMoves over their C++ object. */
export class NativeKeptMoves implements KeptMoves {
  readonly memoryBytes: number;
  readonly #addon: Addon;
  #handle: KeptMovesHandle | undefined;

  constructor(addon: Addon, handle: KeptMovesHandle, elementCount: number) {
    this.#addon = addon;
    this.#handle = handle;
    this.memoryBytes = bytesPerElement * elementCount;
  }

  /** The C++ object of moves that are not released. */
  static handleOf(moves: KeptMoves): KeptMovesHandle {
    if (!(moves instanceof NativeKeptMoves) || moves.#handle === undefined) throw new TypeError('moves must be KeptMoves of the native core, and not released');
    return moves.#handle;
  }

  release(): void {
    if (this.#handle !== undefined) this.#addon.releaseMoves(this.#handle);
    this.#handle = undefined;
  }
}
