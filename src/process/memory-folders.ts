import { lstat, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MemoryFolder, ScratchMemory } from '../compress/scratch/scratch-memory.ts';
import { freeBytesOf, openSharedWorkDirectory, type WorkDirectory } from './work-directory.ts';

/** Where Linux has a file system in memory. */
const memoryRoot = '/dev/shm';
/**
 * Share of what is free, in the file system and in memory, that may be taken: evaluations and other processes need some
 * too.
 */
const freeShare = 0.5;

export interface MemoryFoldersOptions {
  /** Most bytes of all folders together. */
  readonly bytesMax: number;
  /** A file system in memory; that of Linux by default. */
  readonly root?: string;
  /** Free bytes of memory; by default those that the system, or its control group, has left. */
  readonly freeMemory?: () => number;
}

/**
 * Folders in memory, in a locked folder of this process's own, which the next process deletes if this one is killed.
 */
export class MemoryFolders implements ScratchMemory {
  readonly #work: WorkDirectory;
  readonly #bytesMax: number;
  readonly #freeMemory: () => number;
  #takenBytes = 0;

  private constructor(
    work: WorkDirectory,
    { bytesMax, freeMemory = () => process.availableMemory() }: MemoryFoldersOptions,
  ) {
    this.#work = work;
    this.#bytesMax = bytesMax;
    this.#freeMemory = freeMemory;
  }

  /** Undefined if no bytes are configured, or the system has no file system in memory that this process may use. */
  static async open(options: MemoryFoldersOptions): Promise<MemoryFolders | undefined> {
    const parent = join(options.root ?? memoryRoot, `firn-${process.getuid?.() ?? 0}`);
    if (options.bytesMax === 0) return undefined;
    try {
      // Everybody may write beside it, so it counts only if it is this user's, and no link to another place.
      await mkdir(parent, { mode: 0o700 }).catch(ignoreExisting);
      const found = await lstat(parent);
      if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) return undefined;
      return new MemoryFolders(await openSharedWorkDirectory(parent), options);
    } catch {
      return undefined;
    }
  }

  async take(sizeBytes: number): Promise<MemoryFolder | undefined> {
    if (sizeBytes > this.#bytesMax - this.#takenBytes) return undefined;
    // Taken before the wait, so that two encodes do not both count on the last room.
    this.#takenBytes += sizeBytes;
    try {
      const free = Math.min(await freeBytesOf(this.#work.path), this.#freeMemory());
      if (sizeBytes <= free * freeShare) {
        const directory = await mkdtemp(join(this.#work.path, 'files-'));
        return { directory, release: () => this.#release(directory, sizeBytes) };
      }
    } catch {
      // A file system that gives no folder has no room.
    }
    this.#takenBytes -= sizeBytes;
    return undefined;
  }

  /** Deletes what is left. */
  close(): Promise<void> {
    return this.#work.release();
  }

  async #release(directory: string, sizeBytes: number): Promise<void> {
    await rm(directory, { recursive: true, force: true });
    this.#takenBytes -= sizeBytes;
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
