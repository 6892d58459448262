/**
 * Limits the blocks that all streams of a process together decode ahead of their readers. A stream that has no block
 * under way always gets one, so that it goes on while others hold the whole budget. The blocks of all streams are then
 * at most `blocksMax` and one for each stream; a block takes at most 1 MiB.
 */
export class DecodeAhead {
  readonly #blocksMax: number;
  #taken = 0;

  constructor(blocksMax: number) {
    this.#blocksMax = blocksMax;
  }

  /** Blocks that streams hold now. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether a stream that holds `held` blocks may begin one more. If so, `give` it back. */
  tryTake(held: number): boolean {
    if (held > 0 && this.#taken >= this.#blocksMax) return false;
    this.#taken++;
    return true;
  }

  give(blocks: number): void {
    this.#taken -= blocks;
  }
}
