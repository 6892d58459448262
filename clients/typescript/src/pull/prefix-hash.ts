import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** Bytes read at once. */
const readBytes = 1024 * 1024;

/**
 * The SHA-256 of a file whose pieces arrive in any order. It follows the front that is complete, so that most of it is
 * done while later pieces are on their way.
 */
export class PrefixHash {
  readonly #hash = createHash('sha256');
  readonly #handle: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(readBytes);
  #hashed = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** The bytes before this offset are there and will not change. */
  advanceTo(offset: number): void {
    this.#work = this.#work.then(() => this.#read(offset));
    // Told by `digest`.
    this.#work.catch(() => undefined);
  }

  /** The digest in hex of all that was said to be there. */
  async digest(): Promise<string> {
    await this.#work;
    return this.#hash.digest('hex');
  }

  async #read(offset: number): Promise<void> {
    while (this.#hashed < offset) {
      const length = Math.min(readBytes, offset - this.#hashed);
      const { bytesRead } = await this.#handle.read(this.#buffer, 0, length, this.#hashed);
      if (bytesRead === 0) throw new Error('The file became shorter while it was pulled.');
      this.#hash.update(this.#buffer.subarray(0, bytesRead));
      this.#hashed += bytesRead;
    }
  }
}
