/** A file of known length, readable by range. Close it once none of its streams run. */
export interface OpenedFile {
  readonly sizeBytes: number;
  /** Number of packages read to rebuild it; absent for a raw object. */
  readonly chainLength?: number;
  /** Whether the bytes were rebuilt before and lie in a cache. */
  readonly isCached?: boolean;
  /** End exclusive; exactly `endBytes - startBytes` bytes. */
  stream(startBytes: number, endBytes: number, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** The whole file, each piece valid only until the next one is asked for. Absent if that is no faster. */
  passing?(signal?: AbortSignal): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}
