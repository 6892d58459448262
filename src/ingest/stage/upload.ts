/** An arriving body, with its announcement. */
export interface Upload {
  readonly body: AsyncIterable<Uint8Array>;
  /** Absent if the client did not announce it. */
  readonly lengthBytes?: number;
  /** 64 hex digits; compared with the bytes. */
  readonly sha256?: string;
  /** 128 lower-case hex digits; compared with the bytes, not stored. */
  readonly sha512?: string;
  /** Room for it was reserved before. */
  readonly hasRoom?: boolean;
  /** Fires when the client disconnects. */
  readonly signal?: AbortSignal;
}
