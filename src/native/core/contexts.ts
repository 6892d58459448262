/** The context coder of symbols. `core.ts` says what holds for all calls. */
export interface ContextCalls {
  createContextCounts(): ContextCounts;
  /** Reads stored tables of `slots` slots; throws `corrupt-package`. */
  parseContextTables(bytes: Uint8Array, request: { readonly slots: number }): ContextTables;
}

/**
 * Ranges of the context coder (native/include/firn/context_coder.h): the number of symbols, and the symbol that
 * announces an escape value.
 */
export const contextSymbols = 32;

export const contextEscape = 31;
export const contextsMax = 64;
export const contextSlotsMax = 65536;

/**
 * Data of a block that both encoder and decoder have: each element's context, and the slot (tensor) of each segment.
 */
export interface ContextLayout {
  /** Below contextsMax, at most blockElementsMax of them. */
  readonly contexts: Uint8Array;
  /** Elements of each segment, which add up to the block, and its slot. */
  readonly segments: { readonly counts: Uint32Array; readonly slots: Uint32Array };
}

export interface ContextBlock extends ContextLayout {
  /** Below contextSymbols; 0 is the cheapest. */
  readonly symbols: Uint8Array;
  /** One value for each symbol contextEscape, in element order. */
  readonly escapes: Uint32Array;
}

export interface DecodedContexts {
  readonly symbols: Uint8Array;
  readonly escapes: Uint32Array;
}

export interface ContextCounts {
  /** Several may be pending; merge the counts after they have settled. */
  add(block: ContextBlock, signal?: AbortSignal): Promise<void>;
  merge(other: ContextCounts): void;
  /** Tables for the blocks added so far. `slots` exceeds every slot added; parseContextTables needs the same number. */
  build(request: { readonly slots: number }, signal?: AbortSignal): Promise<ContextTables>;
  /**
   * The additional cost of a move over staying put in each context of the lattice, as latticeRates numbers, from the
   * blocks added so far.
   */
  symbolRates(signal?: AbortSignal): Promise<Uint8Array>;
}

export interface ContextTables {
  serialize(): Uint8Array;
  /** Bits of the blocks counted before build() and of the tables, without lane states and padding (about 1 %). */
  totalBits(): number;
  /** Encodes any block with slots below `slots`, counted before or not. */
  encode(block: ContextBlock, signal?: AbortSignal): Promise<Uint8Array>;
  decode(payload: Uint8Array, layout: ContextLayout, signal?: AbortSignal): Promise<DecodedContexts>;
}
