/** A body on its way in, with what was announced of it. */
export interface Upload {
  readonly body: AsyncIterable<Uint8Array>;
  /** Absent when the client did not say. */
  readonly lengthBytes?: number;
  /** 64 hex digits; to be checked against the bytes. */
  readonly sha256?: string;
  /** 128 lower-case hex digits; to be checked against the bytes. Not kept. */
  readonly sha512?: string;
  /** Room for it was taken before. */
  readonly hasRoom?: boolean;
  /** Fires when the client is gone. */
  readonly signal?: AbortSignal;
}
