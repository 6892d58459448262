import type { StateEncoding } from '../../checkpoint/options/state-encoding.ts';

/** Lossy optimizer state. `core.ts` says what holds for all calls. */
export interface StateCalls {
  /** The lossy payload of a block of optimizer state; exact if the levels cannot represent one of its elements. */
  stateEncode(values: Uint8Array, place: StatePlace, signal?: AbortSignal): Promise<Uint8Array>;
  /** Decodes the elements. Payloads may be hostile: `corrupt-package`. */
  stateDecode(payload: Uint8Array, place: StatePlace, signal?: AbortSignal): Promise<Uint8Array>;
  /** Whether a payload of second moments needs those of the previous checkpoint. */
  stateNeedsPreviousSync(payload: Uint8Array): boolean;
}

/** A part of a tensor of F32 elements in a block of optimizer state. */
export interface StateSegment {
  readonly elementCount: number;
  /** Length of a matrix's rows; 0 for a vector, which is one row. */
  readonly columns: number;
  /** Index of the first element in its row. */
  readonly column: number;
}

/** The places of a block's elements of optimizer state in their tensors, and the elements it is coded against. */
export interface StatePlace {
  readonly encoding: StateEncoding;
  readonly segments: readonly StateSegment[];
  /**
   * As many F32 elements: for second moments the rebuilt ones of the previous checkpoint, if there are any; for first
   * moments the rebuilt second moments; else absent.
   */
  readonly reference?: Uint8Array | undefined;
}
