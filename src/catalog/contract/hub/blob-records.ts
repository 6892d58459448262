/** The bytes of a file in commits of a repository, by their digest. */
export interface HubBlob {
  readonly repositoryId: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** The uploaded object, while no checkpoint has it. */
  readonly rawKey?: string;
  readonly rawStoredBytes?: number;
  /**
   * The file of a checkpoint that has these bytes: its raw object, its package, or a reference. Never one whose raw
   * object is gone and whose download has other bytes.
   */
  readonly fileId?: string;
  /** The uploaded object that a lossy checkpoint gave up; no sign that it is still there. */
  readonly releasedKey?: string;
  /** The same while it waits to be deleted. It can be read, but whoever commits the bytes must upload them again. */
  readonly readableKey?: string;
  /** Whether a commit names it; others expire. */
  readonly isCommitted: boolean;
}

/**
 * Blobs of repositories. A blob with neither `rawKey` nor `fileId` lost its bytes: its checkpoint was deleted, or is
 * lossy and gave up the upload. Uploading it again gives it bytes again.
 */
export interface BlobRecords {
  /** The blobs of a repository with these digests (at most a thousand), in any order. */
  find(repositoryId: string, digests: readonly string[]): Promise<HubBlob[]>;
  /**
   * Records an uploaded object. If the blob has bytes already, it keeps those and `created` is false; either way its
   * expiry starts anew. `conflict` for a key that is pending deletion.
   */
  add(
    blob: Required<Pick<HubBlob, 'repositoryId' | 'sha256' | 'sizeBytes' | 'rawKey' | 'rawStoredBytes'>>,
  ): Promise<{ readonly created: boolean }>;
  /**
   * Like `add`, for at most a thousand blobs of distinct digests at once. Returns the keys that blobs have now; the
   * other objects were not taken.
   */
  addAll(
    blobs: readonly Required<Pick<HubBlob, 'repositoryId' | 'sha256' | 'sizeBytes' | 'rawKey' | 'rawStoredBytes'>>[],
  ): Promise<ReadonlySet<string>>;
  /** Records that a checkpoint's file has these bytes, for a commit; a blob that has bytes already keeps those. */
  addFile(blob: Required<Pick<HubBlob, 'repositoryId' | 'sha256' | 'sizeBytes' | 'fileId'>>): Promise<void>;
  /** Starts the expiry of blobs anew that no commit names yet. */
  touch(repositoryId: string, digests: readonly string[]): Promise<void>;
  /** Marks blobs as named by a commit. `conflict` when one is missing or has no bytes. */
  commit(repositoryId: string, digests: readonly string[]): Promise<void>;
  /** The checkpoint's file owns the bytes from now on; the raw object of the blob must be the file's. `conflict`. */
  giveToFile(repositoryId: string, sha256: string, fileId: string): Promise<void>;
  /** Marks the committed blobs of a repository that are not among `kept` as only uploaded, so that they expire. */
  release(repositoryId: string, kept: readonly string[]): Promise<void>;
  /** Deletes at most `limit` blobs that no commit named since `before`; marks their objects. Returns their number. */
  expire(before: Date, limit: number): Promise<number>;
}
