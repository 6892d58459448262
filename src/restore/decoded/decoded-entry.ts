import { createHash } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { onAbort } from '../../store/on-abort.ts';
import { throwIfAborted } from '../../store/until-aborted.ts';

/** Unit of writing, of checksums and of reading, in bytes. */
export const decodedChunkBytes = 256 * 1024;
/**
 * Newest chunks of a file being written that stay in memory, 2 MiB: readers that keep up take them from there. Not more
 * of them are on their way to the disk at once.
 */
const recentChunksMax = 8;

interface RecentChunk {
  readonly bytes: Uint8Array;
  readonly written: Promise<void>;
}

type Crc32c = (bytes: Uint8Array) => number;

/** What a file has to be. */
export interface ExpectedFile {
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
}

/**
 * A decoded file on disk. Readers get the chunks that are decoded, and wait for others. Every chunk that is read from
 * the disk is compared with a checksum from memory, so a damaged disk ends a stream early instead of changing its
 * bytes.
 */
export class DecodedEntry {
  readonly sizeBytes: number;
  readonly #path: string;
  readonly #crc32c: Crc32c;
  readonly #sums: number[] = [];
  readonly #waiting = new Set<() => void>();
  /** By number. A chunk that is not here has been written, unless the entry failed. */
  readonly #recent = new Map<number, RecentChunk>();
  #file: FileHandle | undefined;
  #state: 'filling' | 'whole' | 'failed' = 'filling';

  constructor(path: string, sizeBytes: number, crc32c: Crc32c) {
    this.#path = path;
    this.sizeBytes = sizeBytes;
    this.#crc32c = crc32c;
  }

  get isWhole(): boolean {
    return this.#state === 'whole';
  }

  /** Whether all bytes before `endBytes` can be read without waiting. */
  has(endBytes: number): boolean {
    return this.#state !== 'failed' && this.#sums.length >= Math.ceil(endBytes / decodedChunkBytes);
  }

  /**
   * Writes the file; pieces may be reused after each step. Rejects with the errors of `pieces` and of the disk, and
   * with `corrupt-package` if the bytes are not the expected ones. Until it resolves, the entry is not whole.
   */
  async fill(pieces: AsyncIterable<Uint8Array>, expected: ExpectedFile): Promise<void> {
    this.#file = await open(this.#path, 'wx+');
    try {
      const { sizeBytes, sha256 } = await this.#write(pieces);
      if (sizeBytes !== expected.sizeBytes || sha256 !== expected.sha256)
        throw new FirnError('corrupt-package', 'The rebuilt file is not the one that was stored.', {
          detail: `${sizeBytes} bytes written, ${expected.sizeBytes} with SHA-256 ${expected.sha256} expected`,
        });
      this.#state = 'whole';
    } finally {
      await Promise.allSettled([...this.#recent.values()].map(({ written }) => written));
      this.#recent.clear();
    }
  }

  async #write(pieces: AsyncIterable<Uint8Array>): Promise<ExpectedFile> {
    const hash = createHash('sha256');
    let chunk = Buffer.allocUnsafeSlow(decodedChunkBytes);
    let held = 0;
    let sizeBytes = 0;
    const flush = async (): Promise<void> => {
      const bytes = chunk.subarray(0, held);
      hash.update(bytes);
      await this.#add(bytes, sizeBytes);
      sizeBytes += held;
      held = 0;
    };
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length;) {
        const part = piece.subarray(at, at + decodedChunkBytes - held);
        chunk.set(part, held);
        held += part.length;
        at += part.length;
        if (held < decodedChunkBytes) continue;
        await flush();
        // Readers may still have the one before.
        chunk = Buffer.allocUnsafeSlow(decodedChunkBytes);
      }
    }
    if (held > 0) await flush();
    await this.#allWritten();
    return { sizeBytes, sha256: hash.digest('hex') };
  }

  /**
   * Starts to write a chunk and gives it to the readers, the last one once all are written: whoever read all of a file
   * finds it whole from then on. Waits while too many are on their way.
   */
  async #add(bytes: Uint8Array, offsetBytes: number): Promise<void> {
    const number = this.#sums.length;
    const written = this.#writeAt(bytes, offsetBytes);
    // Awaited later.
    written.catch(() => undefined);
    this.#recent.set(number, { bytes, written });
    if (offsetBytes + bytes.length === this.sizeBytes) await this.#allWritten();
    this.#sums.push(this.#crc32c(bytes));
    this.#wake();
    const oldest = number - recentChunksMax;
    await this.#recent.get(oldest)?.written;
    this.#recent.delete(oldest);
  }

  async #allWritten(): Promise<void> {
    await Promise.all([...this.#recent.values()].map(({ written }) => written));
  }

  async #writeAt(bytes: Uint8Array, offsetBytes: number): Promise<void> {
    for (let done = 0; done < bytes.length;)
      done += (await this.#file!.write(bytes, done, bytes.length - done, offsetBytes + done)).bytesWritten;
  }

  /** Ends the streams of all readers after the chunks that they have. */
  fail(): void {
    this.#state = 'failed';
    this.#wake();
  }

  /**
   * The bytes of a range, in chunks; end exclusive. Ends early if the entry fails, or a chunk is damaged or cannot be
   * read: the reader gets the rest elsewhere. Rejects with `cancelled`.
   */
  async *stream(startBytes: number, endBytes: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const first = Math.floor(startBytes / decodedChunkBytes);
    let ahead: Promise<Uint8Array | undefined> | undefined;
    for (let number = first; number * decodedChunkBytes < endBytes; number++) {
      throwIfAborted(signal);
      const bytes = await (ahead ?? this.#chunk(number, signal));
      if (bytes === undefined) return;
      ahead = (number + 1) * decodedChunkBytes < endBytes ? this.#chunk(number + 1, signal) : undefined;
      // Reported when it is awaited; a reader that leaves early never awaits it.
      ahead?.catch(() => undefined);
      const at = number * decodedChunkBytes;
      yield bytes.subarray(Math.max(0, startBytes - at), endBytes - at);
    }
  }

  /** Closes and deletes the file. Call it once nobody reads or fills it. */
  async remove(): Promise<void> {
    await this.#file?.close();
    await rm(this.#path, { force: true });
  }

  /** A chunk, once it is decoded. Undefined if it never will be, or is damaged. */
  async #chunk(number: number, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    while (number >= this.#sums.length) {
      if (this.#state === 'failed') return undefined;
      await this.#change(signal);
      throwIfAborted(signal);
    }
    const recent = this.#recent.get(number);
    if (recent !== undefined) return recent.bytes;
    const at = number * decodedChunkBytes;
    const bytes = Buffer.allocUnsafeSlow(Math.min(decodedChunkBytes, this.sizeBytes - at));
    for (let filled = 0; filled < bytes.length;) {
      const read = await this.#file!.read(bytes, filled, bytes.length - filled, at + filled).catch(() => undefined);
      if (read === undefined || read.bytesRead === 0) return undefined;
      filled += read.bytesRead;
    }
    return this.#crc32c(bytes) === this.#sums[number] ? bytes : undefined;
  }

  #change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        unwatch();
        this.#waiting.delete(wake);
        resolve();
      };
      const unwatch = onAbort(signal, wake);
      this.#waiting.add(wake);
    });
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
