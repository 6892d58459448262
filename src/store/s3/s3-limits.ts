/** Limits of the S3 store that cannot be configured. `S3StoreOptions` holds the others. */
export const s3Limits = {
  /**
   * Tries of one request, the first included. With the delays below, the last try starts within 10 s if every failure
   * is immediate.
   */
  triesMax: 6,
  /** Longest delay before the second try, in ms; doubles from try to try. */
  firstDelayMaxMs: 200,
  /** Longest delay before any try, in ms. */
  delayMaxMs: 5_000,
  /** Longest time to connect, in ms. */
  connectMs: 5_000,
  /** Requests waiting for a connection, and parts waiting for their turn, before callers are refused. */
  waitingMax: 16_384,
  /** Most parts of one upload (Amazon S3 user guide, multipart upload limits). */
  partsMax: 10_000,
  /** Smallest part except the last, in bytes (same source). */
  partBytesMin: 5 * 1024 * 1024,
  /** Most keys in one request to delete (S3 API, DeleteObjects). */
  deleteKeysMax: 1000,
  /**
   * Bytes that an open fetches from the object's end: the checksums of 4 GiB of content, and the whole of a small
   * object.
   */
  tailFetchBytes: 64 * 1024,
  /** Concurrent reads of one object are fetched in one request up to this many bytes, gaps included. */
  fetchBytesMax: 4 * 1024 * 1024,
  /** Largest gap between two reads, in bytes, that is fetched and discarded instead of sending two requests. */
  fetchGapBytesMax: 256 * 1024,
  /** How often bytes with wrong checksums are read again: they may be damaged on the way and not in the store. */
  rereadsMax: 2,
} as const;
