/** A part of a file that arrives in several requests; the file is known by its digest. */
export interface HubPart {
  readonly repositoryId: string;
  readonly sha256: string;
  /** From 1. */
  readonly number: number;
  readonly key: string;
  readonly sizeBytes: number;
  readonly storedBytes: number;
}
export interface PartRecords {
  /** Replaces an earlier part of this number and marks its object. `conflict` as in BlobRecords. */
  put(part: HubPart): Promise<void>;
  /** By number. */
  list(repositoryId: string, sha256: string): Promise<HubPart[]>;
  /** Deletes the parts of a file and marks their objects. */
  drop(repositoryId: string, sha256: string): Promise<void>;
  /** Deletes at most `limit` parts that arrived before `before`; marks their objects. Returns their number. */
  expire(before: Date, limit: number): Promise<number>;
}
