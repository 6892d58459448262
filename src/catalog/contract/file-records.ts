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
  /** Of the uploaded bytes; announced or computed. */
  readonly sha256?: string;
  /** Git blob id of files up to 1 MiB. */
  readonly gitSha1?: string;
  /** The uploaded bytes, while they are retained. */
  readonly rawKey?: string;
  readonly rawStoredBytes?: number;
  readonly received: boolean;
  /** Storage of the download's bytes; set once ready. */
  readonly storage?: FileStorage;
  /** For a reference: the file that holds the bytes, which is not a reference itself. */
  readonly originId?: string;
  /** Digest and size of the download; set once ready. */
  readonly resultSha256?: string;
  readonly resultBytes?: number;
}
/** The download of a file, recorded when its checkpoint becomes ready. */
export interface FileResultRecord {
  readonly path: string;
  readonly storage: FileStorage;
  /** Set exactly if the file is a reference. */
  readonly originId?: string;
  readonly resultSha256: string;
  readonly resultBytes: number;
}
/** What names the download of a file: none of it changes once the checkpoint is ready. */
export type FileDigests = Pick<CheckpointFile, 'path' | 'sha256' | 'gitSha1' | 'resultSha256' | 'resultBytes'>;
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
   * Records an arrived body; adds the file if it was not announced. Marks the replaced object, if any, and returns its
   * key. `conflict` when not open, `invalid-request` when a path would be a folder of another.
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
  /** Of a ready checkpoint: the digests of its files, by path. The answer may be one that was given before. */
  digests(checkpointId: string): Promise<readonly FileDigests[]>;
  find(checkpointId: string, path: string): Promise<CheckpointFile | undefined>;
  get(id: string): Promise<CheckpointFile | undefined>;
  /**
   * Files of live, ready checkpoints of a repository whose download has one of these digests: at most one per digest,
   * no references. Prefers a raw object to a package, and a short chain to a long one.
   */
  holding(repositoryId: string, digests: readonly string[]): Promise<CheckpointFile[]>;
  /**
   * `conflict` when an origin no longer holds its bytes or belongs to another repository. From then on an origin keeps
   * its bytes as long as the reference exists.
   */
  setResults(checkpointId: string, results: readonly FileResultRecord[]): Promise<void>;
  /**
   * Marks the raw objects of these files and returns their keys. Blobs that only these objects held have no bytes any
   * more. `conflict` when one serves as storage.
   */
  releaseRaw(checkpointId: string, paths: readonly string[]): Promise<string[]>;
  /**
   * Bytes of raw objects of checkpoints that are open, queued or working, and of unfinished uploads: of one run, or in
   * total. `runId` may also be an eval set, whose bytes count like a run's.
   */
  stagedBytes(runId?: string): Promise<number>;
}
