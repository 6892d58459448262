import type { FileRole } from '../../checkpoint/role.ts';

/**
 * package: in the checkpoint's package. raw: the uploaded object itself. reference: the bytes of another file of the
 * repository.
 */
export const fileStorages = ['package', 'raw', 'reference'] as const;
export type FileStorage = (typeof fileStorages)[number];
export interface CheckpointFile {
  readonly id: string;
  readonly checkpointId: string;
  readonly path: string;
  readonly role: FileRole;
  /** Announced at reservation, or found on arrival. */
  readonly sizeBytes?: number;
  /** Of the uploaded bytes; announced or found. */
  readonly sha256?: string;
  /** Git blob id of files up to 1 MiB. */
  readonly gitSha1?: string;
  /** The uploaded bytes, while they are kept. */
  readonly rawKey?: string;
  readonly rawStoredBytes?: number;
  readonly received: boolean;
  /** Where the bytes are that a download returns once ready. */
  readonly storage?: FileStorage;
  /** Of a reference: the file that holds the bytes, which is none itself. */
  readonly originId?: string;
  /** Digest and size of what a download returns once ready. */
  readonly resultSha256?: string;
  readonly resultBytes?: number;
}
/** What a download returns of a file, as recorded when its checkpoint becomes ready. */
export interface FileResultRecord {
  readonly path: string;
  readonly storage: FileStorage;
  /** Given exactly for a reference. */
  readonly originId?: string;
  readonly resultSha256: string;
  readonly resultBytes: number;
}
export interface FileRecords {
  /**
   * `conflict` when the checkpoint is not open or has the path already; `invalid-request` when a path would be a folder
   * of another.
   */
  announce(
    checkpointId: string,
    files: readonly { path: string; role: FileRole; sizeBytes?: number; sha256?: string }[],
  ): Promise<CheckpointFile[]>;
  /**
   * Records an arrived body; adds the file when it was not announced. Marks the object it replaces, if any, and returns
   * its key. `conflict` when not open, `invalid-request` when a path would be a folder of another.
   */
  receive(
    checkpointId: string,
    file: {
      path: string;
      role?: FileRole;
      sizeBytes: number;
      sha256: string;
      gitSha1?: string;
      rawKey: string;
      rawStoredBytes: number;
    },
  ): Promise<string | undefined>;
  list(checkpointId: string): Promise<CheckpointFile[]>;
  find(checkpointId: string, path: string): Promise<CheckpointFile | undefined>;
  get(id: string): Promise<CheckpointFile | undefined>;
  /**
   * Files of live, ready checkpoints of a repository that hold the bytes of a download with one of these digests: at
   * most one a digest, a raw object before a package and a short chain before a long one. No references.
   */
  holding(repositoryId: string, digests: readonly string[]): Promise<CheckpointFile[]>;
  /**
   * `conflict` when an origin does not hold its bytes any more, or is of another repository; what it holds then stays
   * as long as the reference.
   */
  setResults(checkpointId: string, results: readonly FileResultRecord[]): Promise<void>;
  /** Marks the raw objects of these files and returns their keys. `conflict` when one serves as storage. */
  releaseRaw(checkpointId: string, paths: readonly string[]): Promise<string[]>;
  /**
   * Bytes of raw objects of checkpoints that are open, queued or working, and of uploads that are not complete: of one
   * run (or eval set, which takes room as a run does), or in all.
   */
  stagedBytes(runId?: string): Promise<number>;
}
