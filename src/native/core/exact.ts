import type { HalfDtype } from '../../checkpoint/dtype.ts';

/**
 * Exact blocks: on their own, against the ancestor, or master weights against their reference tensors. `core.ts` says
 * what holds for all calls.
 */
export interface ExactCalls {
  exactEncode(block: ExactBlock, signal?: AbortSignal): Promise<Uint8Array>;
  exactDecode(payload: Uint8Array, request: ExactDecodeRequest, signal?: AbortSignal): Promise<Uint8Array>;
  exactIsStandaloneSync(payload: Uint8Array): boolean;
  /**
   * The payload of exact F32 elements, coded against the 16-bit elements that were rounded from them. Lossless for any
   * elements; its first byte is `masterMode`.
   */
  masterEncode(values: Uint8Array, place: MasterPlace, signal?: AbortSignal): Promise<Uint8Array>;
  /** Decodes the elements. Payloads may be hostile: `corrupt-package`, `unsupported-format`. */
  masterDecode(payload: Uint8Array, place: MasterPlace, signal?: AbortSignal): Promise<Uint8Array>;
}

/** First byte of `masterEncode` payloads: a mode next to those of exact blocks (firn::kMasterMode). */
export const masterMode = 10;

/** The 16-bit elements that a block of exact F32 elements is coded against. */
export interface MasterPlace {
  /**
   * Parts of the block's tensors, in order: the number of elements, and the dtype of the elements rounded from them,
   * undefined if there are none.
   */
  readonly segments: readonly { readonly elementCount: number; readonly dtype: HalfDtype | undefined }[];
  /** The 16-bit elements of all segments that have some, one after another. */
  readonly reference: Uint8Array;
}

export type ElementKind = 'bytes' | 'f16' | 'bf16' | 'f32' | 'f64' | 'word16' | 'word32' | 'word64';

/**
 * Largest block of exactEncode and exactDecode, in uncompressed bytes; bounds the memory that a declared length makes
 * the core allocate.
 */
export const exactBytesMax = 16_777_216;

export interface ExactBlock {
  readonly current: Uint8Array;
  readonly previous?: Uint8Array;
  readonly kind: ElementKind;
}

export interface ExactDecodeRequest {
  readonly previous?: Uint8Array | undefined;
  readonly kind: ElementKind;
  readonly elementCount: number;
  /** The elements are written to it, if given; its length must match. */
  readonly into?: Uint8Array | undefined;
}
