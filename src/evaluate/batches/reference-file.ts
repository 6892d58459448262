import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { reportFullDisk } from '../full-disk.ts';

/**
 * The outputs of the uploaded model that candidates are compared with: F32 elements, batch after batch, in each batch
 * one output after another, and nothing else. Both sides run the batches in the same order, so the file needs no
 * positions.
 */
export class ReferenceWriter {
  readonly #path: string;
  readonly #bytesMax: number;
  #file: number | undefined;
  #writtenBytes = 0;

  /** Makes a new file; `bytesMax` bounds it. */
  constructor(path: string, bytesMax: number) {
    this.#path = path;
    this.#bytesMax = bytesMax;
    this.#file = openSync(path, 'wx');
  }

  /** Gives up at once if the expected number of elements exceeds the limit. */
  expect(elementCount: number): void {
    if (elementCount * Float32Array.BYTES_PER_ELEMENT <= this.#bytesMax) return;
    this.#writtenBytes = Infinity;
    this.#giveUp();
  }

  /** Appends an output. Beyond the limit the file is removed, and {@link whole} is false. Throws `storage-full`. */
  add(elements: ArrayLike<number>): void {
    if (this.#file === undefined) return;
    this.#writtenBytes += elements.length * Float32Array.BYTES_PER_ELEMENT;
    if (this.#writtenBytes > this.#bytesMax) return this.#giveUp();
    const floats = elements instanceof Float32Array ? elements : Float32Array.from(elements);
    try {
      writeFully(this.#file, new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength));
    } catch (cause) {
      this.#giveUp();
      throw reportFullDisk(cause);
    }
  }

  /** Closes the file. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Whether everything that was added is in the file. */
  get whole(): boolean {
    return this.#writtenBytes <= this.#bytesMax;
  }

  #giveUp(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }
}

/** Reads the output of {@link ReferenceWriter} from start to end. Close it. */
export class ReferenceReader {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
  }

  /** The next `count` elements. Throws `eval-label-mismatch` if fewer are left. */
  next(count: number): Float32Array {
    const elements = new Float32Array(count);
    const bytes = new Uint8Array(elements.buffer);
    for (let filled = 0; filled < bytes.length;) {
      const read = readSync(this.#file, bytes, filled, bytes.length - filled, null);
      if (read === 0)
        throw new FirnError(
          'eval-label-mismatch',
          'The outputs have another size than those of the uploaded model, so the two cannot be compared.',
        );
      filled += read;
    }
    return elements;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** A write may take fewer bytes than given. */
function writeFully(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written, bytes.length - written);
}
