import type { KeptMoves } from '../../../native/core.ts';

/**
 * Moves of blocks kept from the pass that found them for the one that stores them, up to a bound for all forms together: the shelf taken last has it
 * all, those before it forget. What is not found here is found again from the weights, so nothing but time depends on it.
 */
export class MovesMemory {
  readonly #maxBytes: number;
  #shelf: MovesShelf | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** An empty shelf with the whole room. */
  take(): MovesShelf {
    this.clear();
    this.#shelf = new MovesShelf(this.#maxBytes);
    return this.#shelf;
  }

  /** Gives all memory back; for the end of an encode. */
  clear(): void {
    this.#shelf?.clear();
  }
}

/** One form's moves by block. */
export class MovesShelf {
  readonly #blocks = new Map<string, KeptMoves>();
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

  get(key: string): KeptMoves | undefined {
    return this.#blocks.get(key);
  }

  /** Takes the moves, or gives them back to the core where they do not fit. */
  set(key: string, moves: KeptMoves): void {
    this.delete(key);
    if (moves.memoryBytes > this.#roomBytes) return moves.release();
    this.#roomBytes -= moves.memoryBytes;
    this.#blocks.set(key, moves);
  }

  delete(key: string): void {
    const moves = this.#blocks.get(key);
    if (moves === undefined) return;
    this.#roomBytes += moves.memoryBytes;
    this.#blocks.delete(key);
    moves.release();
  }

  /** Forgets everything and takes nothing any more. */
  clear(): void {
    for (const moves of this.#blocks.values()) moves.release();
    this.#blocks.clear();
    this.#roomBytes = 0;
  }
}
