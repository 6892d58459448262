import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { newCacheCounts } from '../byte-cache.ts';
import type { OpenedFile } from '../opened-file.ts';
import type { CacheState } from '../restorer.ts';
import { DecodedEntry, type ExpectedFile } from './decoded-entry.ts';

export interface DecodedFilesOptions {
  /** Belongs to the cache alone; emptied when it is opened. */
  readonly directory: string;
  /** Bytes on disk. */
  readonly bytesMax: number;
  readonly crc32c: (bytes: Uint8Array) => number;
  /** Bytes that may still be written in a directory. */
  readonly freeBytes: (directory: string) => Promise<number>;
  /** A file could not be kept; its readers are served without the cache. */
  readonly onFailure: (error: unknown) => void;
}

/** A rebuilt file. `id` is the catalog's of the file, whose bytes never change. */
export interface DecodableFile extends ExpectedFile {
  readonly id: string;
}

/** Bytes of the disk that the cache leaves free: uploads may be on the same disk. */
const leftFreeBytes = 1024 ** 3;
/** Each entry has an open file. */
const entriesMax = 256;

interface Slot {
  readonly key: string;
  readonly entry: DecodedEntry;
  readonly abandoned: AbortController;
  readers: number;
  isFilling: boolean;
  isDropped: boolean;
}

/**
 * A cache of rebuilt files on disk, bounded in bytes. Whoever asks for a file while it is written reads what is there
 * and waits for more, so several clients that pull one file decode it once. An entry is found by the file's id and
 * digest: with a digest alone, the speed of an answer would reveal that another repository has the file. Whoever asks
 * must have been allowed to read the file. Nothing survives the end of the process.
 */
export class DecodedFiles {
  readonly #options: DecodedFilesOptions;
  readonly #slots = new Map<string, Slot>();
  /** What still writes or deletes files. */
  readonly #underWay = new Set<Promise<void>>();
  readonly #counts = newCacheCounts();
  #usedBytes = 0;
  #made = 0;
  #isClosed = false;

  private constructor(options: DecodedFilesOptions) {
    this.#options = options;
  }

  /** Deletes what a killed process left in the directory. Rejects with the errors of the file system. */
  static async open(options: DecodedFilesOptions): Promise<DecodedFiles> {
    await rm(options.directory, { recursive: true, force: true });
    await mkdir(options.directory, { recursive: true });
    return new DecodedFiles(options);
  }

  /** Streams served from an entry count as hits, others as misses; entries being written count their whole size. */
  state(): CacheState {
    return { ...this.#counts, usedBytes: this.#usedBytes };
  }

  /**
   * The file, from the cache if it is there. Otherwise `open` rebuilds it, and a stream of at least half of the file
   * puts all of it into the cache. Rejects with the errors of `open`.
   */
  async openFile(file: DecodableFile, open: () => Promise<OpenedFile>): Promise<OpenedFile> {
    const isCached = this.#slots.get(keyOf(file))?.entry.isWhole === true;
    let rebuilt = isCached ? undefined : open();
    const opened = await rebuilt;
    const rest = (): Promise<OpenedFile> => (rebuilt ??= open());
    return {
      ...opened,
      sizeBytes: file.sizeBytes,
      isCached,
      stream: (start, end, signal) => this.#stream({ file, open, rest }, [start, end], signal),
      close: async () => (await rebuilt?.catch(() => undefined))?.close(),
    };
  }

  /** Ends what is being written, and deletes every entry that nobody reads and, with the last, the directory. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const slot of [...this.#slots.values()]) {
      slot.abandoned.abort();
      this.#drop(slot);
    }
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    // An entry that is still read deletes its file when the reader has left.
    await rmdir(this.#options.directory).catch(() => undefined);
  }

  async *#stream(
    { file, open, rest }: { file: DecodableFile; open: () => Promise<OpenedFile>; rest: () => Promise<OpenedFile> },
    [startBytes, endBytes]: readonly [number, number],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    let at = startBytes;
    const slot = this.#join(file, startBytes, endBytes, open);
    if (slot !== undefined) {
      slot.readers++;
      try {
        for await (const piece of slot.entry.stream(startBytes, endBytes, signal)) {
          at += piece.length;
          yield piece;
        }
        // The entry failed, or the disk gave other bytes than were written.
        if (at < endBytes) this.#drop(slot);
      } finally {
        slot.readers--;
        this.#leave(slot, at < endBytes);
      }
    }
    if (at < endBytes) yield* (await rest()).stream(at, endBytes, signal);
  }

  #join(file: DecodableFile, startBytes: number, endBytes: number, open: () => Promise<OpenedFile>): Slot | undefined {
    const key = keyOf(file);
    const isMost = 2 * (endBytes - startBytes) >= file.sizeBytes;
    const found = this.#slots.get(key);
    if (found !== undefined && (isMost || found.entry.has(endBytes))) {
      this.#counts.hits++;
      // A Map iterates in order of insertion, so the least recently used entry stays first.
      this.#slots.delete(key);
      this.#slots.set(key, found);
      return found;
    }
    this.#counts.misses++;
    if (found !== undefined || !isMost || this.#isClosed || !this.#makeRoom(file.sizeBytes)) return undefined;
    return this.#begin(file, open);
  }

  /** Drops entries that nobody reads, least recently used first, until `bytes` more fit. */
  #makeRoom(bytes: number): boolean {
    const { bytesMax } = this.#options;
    const idle = [...this.#slots.values()].filter(({ readers, isFilling }) => readers === 0 && !isFilling);
    const idleBytes = idle.reduce((sum, { entry }) => sum + entry.sizeBytes, 0);
    if (bytes > bytesMax - this.#usedBytes + idleBytes) return false;
    for (const slot of idle) {
      if (this.#usedBytes + bytes <= bytesMax && this.#slots.size < entriesMax) break;
      this.#drop(slot);
      this.#counts.evictions++;
    }
    return this.#slots.size < entriesMax;
  }

  #begin(file: DecodableFile, open: () => Promise<OpenedFile>): Slot {
    const { directory, crc32c } = this.#options;
    const path = join(directory, `${file.sha256}-${++this.#made}`);
    const slot: Slot = {
      key: keyOf(file),
      entry: new DecodedEntry(path, file.sizeBytes, crc32c),
      abandoned: new AbortController(),
      readers: 0,
      isFilling: true,
      isDropped: false,
    };
    this.#slots.set(slot.key, slot);
    this.#usedBytes += file.sizeBytes;
    this.#track(this.#fill(slot, file, open));
    return slot;
  }

  /** Never rejects: readers of a failed entry get the rest, or the error, by rebuilding it themselves. */
  async #fill(slot: Slot, file: DecodableFile, open: () => Promise<OpenedFile>): Promise<void> {
    const { directory, freeBytes, onFailure } = this.#options;
    const { signal } = slot.abandoned;
    try {
      if ((await freeBytes(directory)) < file.sizeBytes + leftFreeBytes)
        throw new FirnError('storage-full', 'The disk has no room for a decoded file.');
      const rebuilt = await open();
      try {
        const pieces = rebuilt.passing?.(signal) ?? rebuilt.stream(0, file.sizeBytes, signal);
        await slot.entry.fill(pieces, file);
      } finally {
        await rebuilt.close();
      }
    } catch (error) {
      slot.entry.fail();
      this.#drop(slot);
      if (!signal.aborted) onFailure(error);
    } finally {
      slot.isFilling = false;
      this.#leave(slot, false);
    }
  }

  /**
   * The last reader who leaves early ends the filling, since nobody waits for the file any more. One who has all that
   * it asked for does not: it may have the last byte before the digest is known.
   */
  #leave(slot: Slot, isEarly: boolean): void {
    if (slot.readers > 0) return;
    if (slot.isFilling) {
      if (!isEarly) return;
      slot.abandoned.abort();
      this.#drop(slot);
    } else if (slot.isDropped) this.#remove(slot);
  }

  /** From now on nobody finds the entry; its readers go on. */
  #drop(slot: Slot): void {
    if (slot.isDropped) return;
    slot.isDropped = true;
    this.#slots.delete(slot.key);
    if (slot.readers === 0 && !slot.isFilling) this.#remove(slot);
  }

  #remove(slot: Slot): void {
    this.#usedBytes -= slot.entry.sizeBytes;
    this.#track(slot.entry.remove().catch(this.#options.onFailure));
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }
}

function keyOf({ id, sha256 }: DecodableFile): string {
  return `${id} ${sha256}`;
}
