import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { onDisk, readFully, syncFolder, writeFully, type Disk } from './disk.ts';
import { fileNameOf, keyOf, shardOf, shards } from './filesystem-path.ts';
import { FramedReader } from '../frame/framed-reader.ts';
import {
  contentSize,
  contentSizeOrCorrupt,
  FrameTable,
  FrameWriter,
  storedSize,
  tailBytes,
  type Crc32c,
} from '../frame/object-frame.ts';
import { checkObjectKey } from '../object-key.ts';
import type { ListedObject, ObjectReader, ObjectStore, PutOptions, StoredObject } from '../object-store.ts';
import { probeStore } from '../watch/probe-store.ts';
import { throwIfAborted, untilAborted } from '../until-aborted.ts';

export interface FilesystemStoreOptions {
  /** Created if absent. Its file system must support hard links. */
  readonly folder: string;
  /**
   * At open, unfinished files younger than this stay, because another process may be writing them. In ms by the clock
   * of the file system; 0 if no other process uses the folder.
   */
  readonly unfinishedKeptMs?: number;
  readonly crc32c: Crc32c;
  /** Tells the operating system that an open file will not be read soon; the native core implements it. */
  readonly forgetFile?: (descriptor: number) => Promise<void>;
  readonly disk?: Disk;
}

/** Bytes gathered before a write call; two such buffers serve one put, one filling while the other is written. */
const writeBytes = 1024 * 1024;

/**
 * Objects as files. A put writes `tmp/<random>`, syncs it, links it to its name and syncs the folder. After a crash the
 * object is there whole or not at all, and the next open removes the remains in `tmp`. File names:
 * store/filesystem/filesystem-path.ts.
 */
export async function openFilesystemStore(options: FilesystemStoreOptions): Promise<ObjectStore> {
  const store = new FilesystemStore(options);
  await store.prepare();
  return store;
}

class FilesystemStore implements ObjectStore {
  readonly #disk: Disk;
  readonly #crc32c: Crc32c;
  readonly #forgetFile: (descriptor: number) => Promise<void>;
  readonly #folder: string;
  readonly #temporary: string;
  readonly #unfinishedKeptMs: number;
  readonly #objects: string;

  constructor({
    folder,
    unfinishedKeptMs = 0,
    crc32c,
    forgetFile = async () => undefined,
    disk = fs,
  }: FilesystemStoreOptions) {
    this.#disk = disk;
    this.#crc32c = crc32c;
    this.#forgetFile = forgetFile;
    this.#folder = folder;
    this.#temporary = path.join(folder, 'tmp');
    this.#objects = path.join(folder, 'objects');
    this.#unfinishedKeptMs = unfinishedKeptMs;
  }

  async prepare(): Promise<void> {
    await onDisk(this.#disk.mkdir(this.#temporary, { recursive: true }));
    const keptMs = this.#unfinishedKeptMs;
    await this.#sweep(keptMs === 0 ? Number.POSITIVE_INFINITY : (await this.#now()) - keptMs);
    for (const shard of shards) await onDisk(this.#disk.mkdir(path.join(this.#objects, shard), { recursive: true }));
    await syncFolder(this.#disk, this.#objects);
    await syncFolder(this.#disk, this.#folder);
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject> {
    const target = this.#pathOf(key);
    throwIfAborted(options.signal);
    if (options.replace !== true && (await this.#sizeOf(target)) !== undefined)
      throw new FirnError('conflict', 'An object of this key exists.', { detail: key });
    const temporary = path.join(this.#temporary, randomUUID());
    try {
      const sizeBytes = await this.#writeFile(temporary, body, options);
      if (options.replace === true) {
        await onDisk(this.#disk.rename(temporary, target));
      } else {
        // A link, unlike a rename, never replaces the object of another put that finished meanwhile.
        await onDisk(this.#disk.link(temporary, target));
        await onDisk(this.#disk.unlink(temporary));
      }
      await syncFolder(this.#disk, path.dirname(target));
      return { key, sizeBytes, storedBytes: storedSize(sizeBytes) };
    } catch (err) {
      await this.#disk.unlink(temporary).catch(() => undefined);
      throw err;
    }
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    const storedBytes = await this.#sizeOf(this.#pathOf(key));
    if (storedBytes === undefined) return undefined;
    return { key, sizeBytes: contentSizeOrCorrupt(storedBytes), storedBytes };
  }

  async open(key: string): Promise<ObjectReader> {
    const handle = await onDisk(this.#disk.open(this.#pathOf(key), 'r'));
    try {
      const { size } = await onDisk(handle.stat());
      const contentBytes = contentSizeOrCorrupt(size);
      const tail = await readFully(handle, contentBytes, tailBytes(contentBytes));
      return new FramedReader(new FrameTable(tail, contentBytes, this.#crc32c), {
        readRange: (startBytes, endBytes, _signal, room) => readFully(handle, startBytes, endBytes - startBytes, room),
        forget: () => this.#forgetFile(handle.fd).catch(() => undefined),
        close: () => onDisk(handle.close()),
      });
    } catch (err) {
      await handle.close();
      throw err;
    }
  }

  async delete(key: string): Promise<void> {
    await onDisk(this.#disk.unlink(this.#pathOf(key))).catch(ignoreAbsent);
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    const failures: unknown[] = [];
    for (const key of keys) await this.delete(key).catch((err: unknown) => failures.push(err));
    if (failures.length > 0) throw failures[0];
  }

  /** A running put updates its file's modification time, so an old file belongs to no running put. */
  sweepUnfinished(before: Date, signal?: AbortSignal): Promise<number> {
    return this.#sweep(before.getTime(), signal);
  }

  async #sweep(beforeMs: number, signal?: AbortSignal): Promise<number> {
    let removed = 0;
    for (const name of await onDisk(this.#disk.readdir(this.#temporary))) {
      throwIfAborted(signal);
      const file = path.join(this.#temporary, name);
      const stats = await onDisk(this.#disk.stat(file)).catch(ignoreAbsent);
      if (stats === undefined || stats.mtimeMs >= beforeMs) continue;
      await onDisk(this.#disk.unlink(file)).catch(ignoreAbsent);
      removed += 1;
    }
    return removed;
  }

  /** A file truncated to a size that no object can have is listed as empty, so that a sweep can find it. */
  async *list(prefix: string): AsyncGenerator<ListedObject> {
    for (const shard of shards) {
      const folder = path.join(this.#objects, shard);
      for (const name of await onDisk(this.#disk.readdir(folder))) {
        const key = keyOf(name);
        if (key === undefined || !key.startsWith(prefix)) continue;
        const stats = await onDisk(this.#disk.stat(path.join(folder, name))).catch(ignoreAbsent);
        if (stats !== undefined)
          yield { key, sizeBytes: contentSize(stats.size) ?? 0, storedBytes: stats.size, modifiedAt: stats.mtime };
      }
    }
  }

  probe(): Promise<void> {
    return probeStore(this);
  }

  async close(): Promise<void> {
    // Nothing is held open between calls; readers close themselves.
  }

  /** The time according to the file system, in ms: the clocks of the machines that share it may differ. */
  async #now(): Promise<number> {
    const file = path.join(this.#temporary, randomUUID());
    const handle = await onDisk(this.#disk.open(file, 'wx', 0o600));
    try {
      return (await onDisk(handle.stat())).mtimeMs;
    } finally {
      await onDisk(handle.close());
      await onDisk(this.#disk.unlink(file)).catch(ignoreAbsent);
    }
  }

  #pathOf(key: string): string {
    checkObjectKey(key);
    return path.join(this.#objects, shardOf(key), fileNameOf(key));
  }

  async #sizeOf(target: string): Promise<number | undefined> {
    return (await onDisk(this.#disk.stat(target)).catch(ignoreAbsent))?.size;
  }

  /** Writes and syncs the framed body; returns the size of the content. */
  async #writeFile(target: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<number> {
    const handle = await onDisk(this.#disk.open(target, 'wx', 0o600));
    try {
      const frame = new FrameWriter(this.#crc32c);
      await this.#writeContent(handle, frame, body, options);
      await writeFully(handle, frame.finish(), frame.contentBytes);
      throwIfAborted(options.signal);
      await onDisk(handle.sync());
      return frame.contentBytes;
    } finally {
      await onDisk(handle.close());
    }
  }

  async #writeContent(
    handle: FileHandle,
    frame: FrameWriter,
    body: AsyncIterable<Uint8Array>,
    { sizeMaxBytes, signal }: PutOptions,
  ): Promise<void> {
    let filling = Buffer.allocUnsafeSlow(writeBytes);
    let spare = Buffer.allocUnsafeSlow(writeBytes);
    let fillBytes = 0;
    let writtenBytes = 0;
    let writing = Promise.resolve();
    const flush = async (): Promise<void> => {
      await writing;
      writing = writeFully(handle, filling.subarray(0, fillBytes), writtenBytes);
      writing.catch(() => undefined);
      writtenBytes += fillBytes;
      fillBytes = 0;
      [filling, spare] = [spare, filling];
    };
    try {
      for await (const piece of untilAborted(body, signal)) {
        if (frame.contentBytes + piece.length > sizeMaxBytes)
          throw new FirnError('payload-too-large', `The content is larger than ${sizeMaxBytes} bytes.`);
        frame.add(piece);
        for (let at = 0; at < piece.length;) {
          const part = piece.subarray(at, at + writeBytes - fillBytes);
          filling.set(part, fillBytes);
          fillBytes += part.length;
          at += part.length;
          if (fillBytes === writeBytes) await flush();
        }
      }
      await flush();
      await writing;
    } catch (err) {
      // The handle is closed next, so wait for the pending write.
      await writing.catch(() => undefined);
      throw err;
    }
  }
}

function ignoreAbsent(err: unknown): undefined {
  if (err instanceof FirnError && err.code === 'not-found') return undefined;
  throw err;
}
