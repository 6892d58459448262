import type { HalfDtype, QuantizableDtype } from '../../checkpoint/dtype.ts';

/**
 * Blocks as what changed since the ancestor: in buckets by sign and exponent (LC-Checkpoint), behind a bitmask
 * (BitSnap). `core.ts` says what holds for all calls.
 */
export interface DeltaCalls {
  /**
   * Encodes moves away from the elements that an ancestor rebuilds, in buckets by sign and exponent. The 2^bits - 1
   * largest buckets are stored (native/include/firn/buckets.h).
   */
  bucketEncode(block: BucketBlock, signal?: AbortSignal): Promise<Uint8Array>;
  /** Rebuilds elements from the same `previous`. Rejects with `corrupt-package` for bytes no encoder writes. */
  bucketDecode(
    payload: Uint8Array,
    request: Pick<BucketBlock, 'previous' | 'dtype'>,
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
  /**
   * One payload for the payloads of a block in 2 to 4 consecutive checkpoints, oldest first: one symbol for all symbols
   * of an element, or the payloads as they are (firn::bucket_merge). Rejects with `corrupt-package` as `bucketDecode`.
   */
  bucketMerge(payloads: readonly Uint8Array[], elementCount: number, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * Rebuilds the elements of one of those checkpoints; `previous` holds the elements before the first. Rejects as
   * `bucketDecode`.
   */
  mergedBucketDecode(
    payload: Uint8Array,
    request: Pick<BucketBlock, 'previous' | 'dtype'> & { readonly width: number; readonly position: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
  /**
   * The payload of a block of F16 or BF16 elements: a packed mask of those that differ from `previous`, followed by
   * these (firn::bitmask_encode). It is an exact standalone payload if that is shorter or most elements differ. Its
   * first byte is `bitmaskMode` if decoding needs `previous`.
   */
  bitmaskEncode(block: BitmaskBlock, signal?: AbortSignal): Promise<Uint8Array>;
  /** Decodes the elements. Payloads may be hostile: `corrupt-package`, `unsupported-format`. */
  bitmaskDecode(
    payload: Uint8Array,
    request: { readonly previous?: Uint8Array | undefined; readonly dtype: HalfDtype; readonly elementCount: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
  /** How many 16-bit elements of two blocks of equal length differ. */
  bitmaskChanged(current: Uint8Array, previous: Uint8Array, signal?: AbortSignal): Promise<number>;
}

/** One block's elements, as many as its ancestor's, both in `dtype`. */
export interface BucketBlock {
  readonly current: Uint8Array;
  readonly previous: Uint8Array;
  readonly dtype: QuantizableDtype;
  /** 1..8. */
  readonly bits: number;
}

/**
 * First byte of `bitmaskEncode` payloads that need the previous block: a mode next to those of exact blocks
 * (firn::kBitmaskMode).
 */
export const bitmaskMode = 11;

/** At most blockElementsMax elements of 16 bits. */
export interface BitmaskBlock {
  readonly current: Uint8Array;
  /** As many elements as `current`. */
  readonly previous?: Uint8Array | undefined;
  readonly dtype: HalfDtype;
}
