
/** The levels of the checkpoint a delta refers to, block by block along the plan both share. */
export interface AncestorLevels {
  /** Levels of a block; file and block numbers are those of the new checkpoint's plan. */
  levels(file: number, block: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** The larger level count of both checkpoints for a codebook group. */
  modulus(group: number, levelCount: number): number;
}

