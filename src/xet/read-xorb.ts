import { FirnError } from '../checkpoint/firn-error.ts';
import { decodeChunk, parseChunkHeader, type ChunkHeader } from './decode-chunk.ts';
import type { XetHash, XetHasher } from './xet-hash.ts';
import { chunkHeaderBytes, xorbChunksMax, xorbPackedBytesMax, xorbRawBytesMax } from './xet-limits.ts';

/** One chunk of a xorb. */
export interface XorbChunk {
  hash: XetHash;
  rawBytes: number;
  /** Where the chunk's header begins in the serialized xorb, and the bytes of header and packed chunk. */
  offset: number;
  lengthBytes: number;
}

/** What a serialized xorb holds, in order. */
export interface XorbTable {
  chunks: XorbChunk[];
  rawBytes: number;
  /** Where the chunks end; a footer may follow. Nothing after this is needed again. */
  packedBytes: number;
}

/**
 * Reads a serialized xorb as its bytes arrive: unpacks every chunk, checks its size and hashes it. Holds one packed
 * chunk at a time. Call `push` for each piece, then `finish`.
 *
 * Source: xorb_object/ of xet-core. Clients of 2026 send no footer; older ones do.
 */
export class XorbReader {
  readonly #hasher: XetHasher;
  readonly #chunks: XorbChunk[] = [];
  /**
   * Bytes of the chunk header or packed chunk that is being received: as many as `#wantedBytes`, `#heldBytes` so far.
   */
  #held: Uint8Array = new Uint8Array(chunkHeaderBytes);
  #heldBytes = 0;
  #header: ChunkHeader | undefined;
  #footer: FooterReader | undefined;
  #rawBytes = 0;
  #packedBytes = 0;

  constructor(hasher: XetHasher) {
    this.#hasher = hasher;
  }

  /** @throws FirnError `invalid-request`; `payload-too-large` for too many chunks or bytes. Do not go on after it. */
  push(piece: Uint8Array): void {
    let from = 0;
    while (from < piece.length) {
      if (this.#footer !== undefined) return this.#footer.push(piece.subarray(from));
      const bytes = piece.subarray(from, from + this.#held.length - this.#heldBytes);
      this.#held.set(bytes, this.#heldBytes);
      this.#heldBytes += bytes.length;
      from += bytes.length;
      if (this.#heldBytes === this.#held.length) this.#takeHeld();
    }
  }

  /** @throws FirnError `invalid-request` if the xorb ends too early or has no chunk. */
  finish(): XorbTable {
    this.#footer?.finish();
    if (this.#header !== undefined || (this.#footer === undefined && this.#heldBytes > 0))
      throw new FirnError('invalid-request', `The xorb ends inside its chunk ${this.#chunks.length}.`);
    if (this.#chunks.length === 0) throw new FirnError('invalid-request', 'The xorb has no chunks.');
    return { chunks: this.#chunks, rawBytes: this.#rawBytes, packedBytes: this.#packedBytes };
  }

  #takeHeld(): void {
    if (this.#header !== undefined) this.#takeChunk(this.#header, this.#held);
    else if (isFooter(this.#held)) {
      this.#footer = new FooterReader(this.#held[7]!, this.#chunks.length);
      return;
    } else this.#takeHeader(parseChunkHeader(this.#held));
    this.#heldBytes = 0;
  }

  #takeHeader(header: ChunkHeader): void {
    if (this.#chunks.length === xorbChunksMax) throw tooLarge(`${xorbChunksMax} chunks`);
    if (this.#rawBytes + header.rawBytes > xorbRawBytesMax) throw tooLarge(`${xorbRawBytesMax} bytes unpacked`);
    if (this.#packedBytes + chunkHeaderBytes + header.packedBytes > xorbPackedBytesMax)
      throw tooLarge(`${xorbPackedBytesMax} bytes packed`);
    if (header.packedBytes === 0) throw new FirnError('invalid-request', 'A chunk of the xorb has no packed bytes.');
    this.#header = header;
    this.#held = new Uint8Array(header.packedBytes);
  }

  #takeChunk(header: ChunkHeader, packed: Uint8Array): void {
    const hash = this.#hasher.hashChunk(decodeChunk(header, packed));
    const lengthBytes = chunkHeaderBytes + packed.length;
    this.#chunks.push({ hash, rawBytes: header.rawBytes, offset: this.#packedBytes, lengthBytes });
    this.#rawBytes += header.rawBytes;
    this.#packedBytes += lengthBytes;
    this.#header = undefined;
    this.#held = new Uint8Array(chunkHeaderBytes);
  }
}

/** Reads a whole xorb. @throws FirnError as `XorbReader` does; errors of `source` pass through. */
export async function readXorb(source: AsyncIterable<Uint8Array>, hasher: XetHasher): Promise<XorbTable> {
  const reader = new XorbReader(hasher);
  for await (const piece of source) reader.push(piece);
  return reader.finish();
}

/** @throws FirnError `digest-mismatch` if the chunks do not have the hash under which the client sent the xorb. */
export function checkXorbHash(chunks: readonly XorbChunk[], announced: XetHash, hasher: XetHasher): void {
  const hash = hasher.hashXorb(chunks);
  if (hash !== announced)
    throw new FirnError('digest-mismatch', `The xorb was sent as ${announced}, but its chunks have the hash ${hash}.`);
}

const footerMark = Buffer.from('XETBLOB');

function isFooter(held: Uint8Array): boolean {
  return footerMark.equals(held.subarray(0, footerMark.length));
}

/**
 * Bytes of a footer by its version (xorb_object_format.rs), mark and version included, final length field excluded:
 * fixed ones, and those of each chunk.
 */
const footerBytesOf: Record<number, { fixed: number; perChunk: number }> = {
  0: { fixed: 60, perChunk: 36 },
  1: { fixed: 92, perChunk: 40 },
};

/** Skips a footer: all it says follows from the chunks. It must have the length it states, and the right one. */
class FooterReader {
  readonly #infoBytes: number;
  /** Mark and version have been read. */
  #seenBytes = footerMark.length + 1;
  #lengthField = 0;

  constructor(version: number, chunkCount: number) {
    const size = footerBytesOf[version];
    if (size === undefined)
      throw new FirnError('invalid-request', `The xorb has a footer of version ${version}, which is not known.`);
    this.#infoBytes = size.fixed + size.perChunk * chunkCount;
  }

  push(piece: Uint8Array): void {
    if (this.#seenBytes + piece.length > this.#infoBytes + 4) throw wrongFooter();
    for (let index = Math.max(0, this.#infoBytes - this.#seenBytes); index < piece.length; index++)
      this.#lengthField += piece[index]! * 256 ** (this.#seenBytes + index - this.#infoBytes);
    this.#seenBytes += piece.length;
  }

  finish(): void {
    if (this.#seenBytes !== this.#infoBytes + 4 || this.#lengthField !== this.#infoBytes) throw wrongFooter();
  }
}

function wrongFooter(): FirnError {
  return new FirnError('invalid-request', 'The footer of the xorb does not have the length that its chunks call for.');
}

function tooLarge(limit: string): FirnError {
  return new FirnError('payload-too-large', `A xorb has at most ${limit}.`);
}
