import { FirnError } from '../../checkpoint/firn-error.ts';
import { chunkBytes } from '../object-store.ts';

/**
 * The layout of an object in a file or bucket: the content, then one CRC-32C per chunk of `chunkBytes` (the last may be
 * short), then a footer.
 *
 * | footer bytes | content |
 * |---|---|
 * | 0..7 | magic "FIRNOBJ" and the version, 1 |
 * | 8..15 | size of the content in bytes |
 * | 16..19 | `chunkBytes` |
 * | 20..23 | CRC-32C of the table |
 * | 24..27 | zero |
 * | 28..31 | CRC-32C of footer bytes 0..27 |
 *
 * Integers are unsigned and little-endian. The content comes first, so that it can be written before its checksums are
 * known, and a range of the content is the same range of the file. The stored size follows from the content's size and
 * the other way round. So the table and the footer can be found, and objects listed, without reading them.
 */
const magic = Buffer.from('FIRNOBJ\x01', 'latin1');
export const footerBytes = 32;
const sumBytes = 4;

/**
 * CRC-32C (RFC 3720, appendix B.4). `seed` is an earlier result to continue from, or 0. The native core implements it.
 */
export type Crc32c = (bytes: Uint8Array, seed?: number) => number;

export function chunkCount(contentBytes: number): number {
  return Math.ceil(contentBytes / chunkBytes);
}

/** Bytes of table and footer. */
export function tailBytes(contentBytes: number): number {
  return chunkCount(contentBytes) * sumBytes + footerBytes;
}

export function storedSize(contentBytes: number): number {
  return contentBytes + tailBytes(contentBytes);
}

/** The inverse of `storedSize`; undefined for sizes that no object can have. */
export function contentSize(storedBytes: number): number | undefined {
  const framed = storedBytes - footerBytes;
  if (framed < 0) return undefined;
  const contentBytes = framed - Math.ceil(framed / (chunkBytes + sumBytes)) * sumBytes;
  return contentBytes >= 0 && storedSize(contentBytes) === storedBytes ? contentBytes : undefined;
}

/** Like `contentSize`; throws `corrupt-object` for sizes that no object can have. */
export function contentSizeOrCorrupt(storedBytes: number): number {
  const contentBytes = contentSize(storedBytes);
  if (contentBytes === undefined)
    throw corrupt(storedBytes < footerBytes ? 'shorter than a footer' : 'a size no object has');
  return contentBytes;
}

/** Computes the checksums of one object's content, which comes in pieces of any size. */
export class FrameWriter {
  readonly #crc32c: Crc32c;
  readonly #sums: number[] = [];
  #sum = 0;
  #chunkFillBytes = 0;
  #contentBytes = 0;

  constructor(crc32c: Crc32c) {
    this.#crc32c = crc32c;
  }

  get contentBytes(): number {
    return this.#contentBytes;
  }

  add(piece: Uint8Array): void {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + chunkBytes - this.#chunkFillBytes);
      this.#sum = this.#crc32c(part, this.#sum);
      this.#chunkFillBytes += part.length;
      at += part.length;
      if (this.#chunkFillBytes === chunkBytes) this.#closeChunk();
    }
    this.#contentBytes += piece.length;
  }

  /** Table and footer; write them after the content. */
  finish(): Uint8Array {
    if (this.#chunkFillBytes > 0) this.#closeChunk();
    const tail = Buffer.alloc(this.#sums.length * sumBytes + footerBytes);
    this.#sums.forEach((sum, i) => tail.writeUInt32LE(sum, i * sumBytes));
    const table = tail.subarray(0, this.#sums.length * sumBytes);
    const footer = tail.subarray(table.length);
    magic.copy(footer);
    footer.writeBigUInt64LE(BigInt(this.#contentBytes), 8);
    footer.writeUInt32LE(chunkBytes, 16);
    footer.writeUInt32LE(this.#crc32c(table), 20);
    footer.writeUInt32LE(this.#crc32c(footer.subarray(0, 28)), 28);
    return tail;
  }

  #closeChunk(): void {
    this.#sums.push(this.#sum);
    this.#sum = 0;
    this.#chunkFillBytes = 0;
  }
}

/** The verified checksum table of one object; verifies its chunks. */
export class FrameTable {
  readonly #crc32c: Crc32c;
  readonly #table: Buffer;
  readonly contentBytes: number;

  /** `tail` is the object's last `tailBytes(contentBytes)` bytes. Throws `corrupt-object`, `unsupported-format`. */
  constructor(tail: Uint8Array, contentBytes: number, crc32c: Crc32c) {
    const bytes = Buffer.from(tail.buffer, tail.byteOffset, tail.byteLength);
    const table = bytes.subarray(0, bytes.length - footerBytes);
    const footer = bytes.subarray(table.length);
    const whole =
      bytes.length === tailBytes(contentBytes) && crc32c(footer.subarray(0, 28)) === footer.readUInt32LE(28);
    if (!whole || footer.compare(magic, 0, 7, 0, 7) !== 0) throw corrupt('footer');
    if (footer[7] !== magic[7] || footer.readUInt32LE(16) !== chunkBytes) {
      throw new FirnError('unsupported-format', 'A stored object has a format this version does not read.');
    }
    if (footer.readBigUInt64LE(8) !== BigInt(contentBytes) || crc32c(table) !== footer.readUInt32LE(20))
      throw corrupt('checksum table');
    this.#crc32c = crc32c;
    this.#table = table;
    this.contentBytes = contentBytes;
  }

  /** The smallest range of whole chunks around a range of content, in bytes, end exclusive. */
  chunksAround(startBytes: number, endBytes: number): readonly [startBytes: number, endBytes: number] {
    if (endBytes <= startBytes) return [startBytes, startBytes];
    return [
      Math.floor(startBytes / chunkBytes) * chunkBytes,
      Math.min(this.contentBytes, Math.ceil(endBytes / chunkBytes) * chunkBytes),
    ];
  }

  /** Verifies whole chunks; the first starts at `startBytes`. Throws `corrupt-object`. */
  verify(startBytes: number, chunks: Uint8Array): void {
    for (let at = 0; at < chunks.length; at += chunkBytes) {
      const chunk = (startBytes + at) / chunkBytes;
      if (this.#crc32c(chunks.subarray(at, at + chunkBytes)) !== this.#table.readUInt32LE(chunk * sumBytes))
        throw corrupt(`chunk ${chunk}`);
    }
  }
}

export function corrupt(what: string): FirnError {
  return new FirnError('corrupt-object', 'A stored object is damaged: its checksums do not match its bytes.', {
    detail: what,
  });
}
