/** The run-length coder of levels. `core.ts` says what holds for all calls. */
export interface TokenCalls {
  createTokenCounts(): TokenCounts;
  /** Reads stored tables; throws `corrupt-package`. */
  parseTokenTables(bytes: Uint8Array): TokenTables;
}

export interface LevelBlock {
  /** The same block of the ancestor, or absent for a base. */
  readonly previous?: Uint8Array;
  readonly current: Uint8Array;
  /** The larger level count of both checkpoints, 1..256. */
  readonly modulus: number;
}

export interface TokenCounts {
  /** Several may be pending; read or merge the counts after they have settled. */
  add(block: LevelBlock, signal?: AbortSignal): Promise<void>;
  merge(other: TokenCounts): void;
  build(): TokenTables;
  /** Exact payload bits of the blocks added, without tables and padding. */
  payloadBits(): number;
}

export interface TokenTables {
  serialize(): Uint8Array;
  encode(block: LevelBlock, signal?: AbortSignal): Promise<Uint8Array>;
  decode(
    payload: Uint8Array,
    request: { readonly previous?: Uint8Array; readonly elementCount: number; readonly modulus: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
}
