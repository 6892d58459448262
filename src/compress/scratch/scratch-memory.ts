/** A folder in memory for some files, and the bytes that it may take. */
export interface MemoryFolder {
  readonly directory: string;
  /** Deletes the folder and gives its room back. */
  release(): Promise<void>;
}

/**
 * Room in memory for the files that evaluations map: a search writes the whole model once for each trial, and nothing
 * of it has to reach a disk.
 */
export interface ScratchMemory {
  /** A new folder for files of at most `sizeBytes` together; undefined if there is no room for them. */
  take(sizeBytes: number): Promise<MemoryFolder | undefined>;
}
