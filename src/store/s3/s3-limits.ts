/** Bounds of the S3 store that are nobody's to configure. Those of configuration are in `S3StoreOptions`. */
export const s3Limits = {
  /**
   * Tries of one request, the first included. With the delays below the last one starts within 10 s where every failure
   * is told at once.
   */
  triesMax: 6,
  /** Most that is waited before the second try, in ms; doubles from try to try. */
  firstDelayMaxMs: 200,
  /** Most that is waited before any try, in ms. */
  delayMaxMs: 5_000,
  /** Longest a connection may take, in ms. */
  connectMs: 5_000,
  /** Requests that wait for a connection, and parts that wait for their turn, before callers are refused. */
  waitingMax: 16_384,
  /** Parts of one upload (Amazon S3 user guide, multipart upload limits). */
  partsMax: 10_000,
  /** Smallest part but the last, in bytes (same place). */
  partBytesMin: 5 * 1024 * 1024,
  /** Keys of one request to delete (S3 API, DeleteObjects). */
  deleteKeysMax: 1000,
  /**
   * What an open fetches of an object's end, in bytes: the checksums of 4 GiB of content, and all of a small object.
   */
  tailFetchBytes: 64 * 1024,
  /**
   * Reads of one object that are asked for together are fetched in one request up to this many bytes, what lies between
   * them included.
   */
  fetchBytesMax: 4 * 1024 * 1024,
  /** Bytes between two reads that are fetched for nothing rather than asked for apart. */
  fetchGapBytesMax: 256 * 1024,
  /** Times that bytes whose checksums are wrong are read again: the damage may be of the way, not of the object. */
  rereadsMax: 2,
} as const;
