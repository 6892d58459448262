import { FirnError } from '../checkpoint/firn-error.ts';
import { decodeLz4Frame } from './decode-lz4-frame.ts';
import { chunkHeaderBytes, chunkPackedBytesMax, chunkRawBytesMax } from './xet-limits.ts';

/** How a chunk is packed: as it is; an LZ4 frame; the same of its bytes grouped by their index modulo 4. */
const schemes = ['none', 'lz4', 'grouped-lz4'] as const;

export interface ChunkHeader {
  scheme: (typeof schemes)[number];
  /** Bytes that follow the header. */
  packedBytes: number;
  rawBytes: number;
}

/**
 * Parses the 8 bytes before a chunk: version 0, packed bytes (3 bytes, little-endian), scheme, raw bytes (3 bytes).
 * Both sizes are within xet-limits.ts.
 *
 * Source: xorb_object/xorb_chunk_format.rs of xet-core. @throws FirnError `invalid-request`.
 */
export function parseChunkHeader(header: Uint8Array): ChunkHeader {
  if (header.length !== chunkHeaderBytes) throw new Error('a chunk header has 8 bytes');
  if (header[0] !== 0) throw invalid(`A chunk of the xorb has version ${header[0]}; only version 0 is known.`);
  const scheme = schemes[header[4]!];
  if (scheme === undefined)
    throw invalid(`A chunk of the xorb is packed with scheme ${header[4]}, which is not known.`);
  const packedBytes = threeBytes(header, 1);
  const rawBytes = threeBytes(header, 5);
  if (rawBytes === 0) throw invalid('A chunk of the xorb is empty.');
  if (rawBytes > chunkRawBytesMax)
    throw invalid(`A chunk of the xorb declares ${rawBytes} bytes; a chunk has at most ${chunkRawBytesMax}.`);
  if (packedBytes > chunkPackedBytesMax)
    throw invalid(`A chunk of the xorb declares ${packedBytes} packed bytes; ${chunkPackedBytesMax} is the most.`);
  if (scheme === 'none' && packedBytes !== rawBytes)
    throw invalid(`A chunk of the xorb is not packed, yet declares ${packedBytes} bytes for ${rawBytes}.`);
  return { scheme, packedBytes, rawBytes };
}

/**
 * Unpacks the bytes after a chunk's header to exactly `rawBytes` bytes. An unpacked chunk is a view of `packed`.
 *
 * @throws FirnError `invalid-request`.
 */
export function decodeChunk({ scheme, rawBytes }: ChunkHeader, packed: Uint8Array): Uint8Array {
  switch (scheme) {
    case 'none':
      return packed;
    case 'lz4':
      return decodeLz4Frame(packed, rawBytes);
    case 'grouped-lz4':
      return ungroup(decodeLz4Frame(packed, rawBytes));
  }
}

/** Undoes the grouping: all first bytes of four come first, then all second ones, and so on (byte_grouping/bg4.rs). */
function ungroup(grouped: Uint8Array): Uint8Array {
  const raw = new Uint8Array(grouped.length);
  const wholes = grouped.length >> 2;
  const rest = grouped.length & 3;
  const second = wholes + (rest > 0 ? 1 : 0);
  const third = second + wholes + (rest > 1 ? 1 : 0);
  const fourth = third + wholes + (rest > 2 ? 1 : 0);
  for (let index = 0, to = 0; index < wholes; index++) {
    raw[to++] = grouped[index]!;
    raw[to++] = grouped[second + index]!;
    raw[to++] = grouped[third + index]!;
    raw[to++] = grouped[fourth + index]!;
  }
  const lasts = [wholes, second + wholes, third + wholes];
  for (let index = 0; index < rest; index++) raw[wholes * 4 + index] = grouped[lasts[index]!]!;
  return raw;
}

function threeBytes(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
}

function invalid(message: string): FirnError {
  return new FirnError('invalid-request', message);
}
