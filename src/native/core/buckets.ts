import type { QuantizableDtype } from '../../checkpoint/dtype.ts';

/** Changes in buckets by sign and exponent (LC-Checkpoint). `core.ts` says what holds for all calls. */
export interface BucketCalls {
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
}

/** One block's elements, as many as its ancestor's, both in `dtype`. */
export interface BucketBlock {
  readonly current: Uint8Array;
  readonly previous: Uint8Array;
  readonly dtype: QuantizableDtype;
  /** 1..8. */
  readonly bits: number;
}
