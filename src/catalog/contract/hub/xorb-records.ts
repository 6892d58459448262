/** A chunk of a stored xorb. */
export interface XorbChunk {
  /** 64 hex digits, as Xet writes them. */
  readonly hash: string;
  readonly rawBytes: number;
  /** Of the chunk with its header, in the xorb. */
  readonly offset: number;
  readonly lengthBytes: number;
}
/** A xorb: a run of compressed chunks that an Xet client uploaded. */
export interface StoredXorb {
  readonly repositoryId: string;
  readonly hash: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly storedBytes: number;
  readonly chunks: readonly XorbChunk[];
}
/** Xorbs of repositories. They expire when no upload has named them for a while. */
export interface XorbRecords {
  find(repositoryId: string, hashes: readonly string[]): Promise<StoredXorb[]>;
  /**
   * False if the repository has the xorb already; then nothing changes but its expiry. `conflict` as in BlobRecords.
   */
  add(xorb: StoredXorb): Promise<boolean>;
  touch(repositoryId: string, hashes: readonly string[]): Promise<void>;
  /** Deletes at most `limit` xorbs that nothing named since `before`; marks their objects. Returns their number. */
  expire(before: Date, limit: number): Promise<number>;
}
