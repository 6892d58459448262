import { FirnError } from '../checkpoint/firn-error.ts';

const magic = 0x184d2204;
/** Flags of a frame: version 1 in the two high bits; the reserved bit and a dictionary are refused. */
const flagBits = { version: 0xc0, independent: 0x20, blockChecksums: 0x10, contentSize: 0x08, contentChecksum: 0x04 };
/** Block sizes of 64 KiB, 256 KiB, 1 MiB and 4 MiB by their number in the frame's second byte. */
const blockBytesMaxOf: Record<number, number> = { 4: 1 << 16, 5: 1 << 18, 6: 1 << 20, 7: 1 << 22 };
const storedRaw = 0x80000000;

/**
 * Decodes one LZ4 frame that fills `frame` into exactly `rawBytes` bytes; nothing more is allocated. Checksums inside
 * the frame are skipped: the caller has a hash of the decoded bytes.
 *
 * Source: LZ4 frame format 1.6.4 (lz4_Frame_format.md). @throws FirnError `invalid-request`.
 */
export function decodeLz4Frame(frame: Uint8Array, rawBytes: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  if (frame.length < 7 || view.getUint32(0, true) !== magic) throw invalid('does not begin as an LZ4 frame');
  const flags = frame[4]!;
  const known = flagBits.independent | flagBits.blockChecksums | flagBits.contentSize | flagBits.contentChecksum;
  if ((flags & ~known) !== 0x40) throw invalid('has flags that are not supported');
  const blockBytesMax = blockBytesMaxOf[frame[5]! >> 4];
  if (blockBytesMax === undefined) throw invalid('has an unknown block size');
  const blockChecksumBytes = flags & flagBits.blockChecksums ? 4 : 0;
  const contentChecksumBytes = flags & flagBits.contentChecksum ? 4 : 0;

  const raw = new Uint8Array(rawBytes);
  let to = 0;
  let from = 7 + (flags & flagBits.contentSize ? 8 : 0);
  for (;;) {
    if (from + 4 > frame.length) throw invalid('ends inside a block');
    const field = view.getUint32(from, true);
    from += 4;
    if (field === 0) break;
    const end = from + (field & ~storedRaw);
    if (end + blockChecksumBytes > frame.length) throw invalid('ends inside a block');
    const toMax = Math.min(to + blockBytesMax, rawBytes);
    if (field & storedRaw) {
      if (end - from > toMax - to) throw invalid('holds more than it declares');
      raw.set(frame.subarray(from, end), to);
      to += end - from;
    } else {
      const first = flags & flagBits.independent ? to : 0;
      to = decodeBlock({ packed: frame, from, end, raw, to, toMax, first });
    }
    from = end + blockChecksumBytes;
  }
  if (from + contentChecksumBytes !== frame.length) throw invalid('does not end with its last block');
  if (to !== rawBytes) throw invalid('holds fewer bytes than declared');
  return raw;
}

interface Block {
  packed: Uint8Array;
  /** The block is `packed[from..end)`. */
  from: number;
  end: number;
  /** It is decoded to `raw[to..toMax)`, and its matches may begin at `first`. */
  raw: Uint8Array;
  to: number;
  toMax: number;
  first: number;
}

/** Decodes one block; answers where the decoded bytes end. Source: lz4_Block_format.md. */
function decodeBlock({ packed, from, end, raw, to, toMax, first }: Block): number {
  for (;;) {
    if (from >= end) throw invalid('ends inside a block');
    const token = packed[from++]!;
    let literals = token >> 4;
    if (literals === 15)
      for (let more = 255; more === 255; literals += more) {
        if (from >= end) throw invalid('ends inside a length');
        more = packed[from++]!;
      }
    if (literals > end - from) throw invalid('ends inside literals');
    if (literals > toMax - to) throw invalid('holds more than it declares');
    if (literals > copiedByHandMax) {
      raw.set(packed.subarray(from, from + literals), to);
      to += literals;
      from += literals;
    } else for (const stop = to + literals; to < stop;) raw[to++] = packed[from++]!;
    // The last sequence has literals only.
    if (from === end) return to;

    if (end - from < 2) throw invalid('ends inside a match');
    const distance = packed[from]! | (packed[from + 1]! << 8);
    from += 2;
    if (distance === 0 || distance > to - first) throw invalid('has a match that begins before its data');
    let matched = (token & 15) + 4;
    if (matched === 19)
      for (let more = 255; more === 255; matched += more) {
        if (from >= end) throw invalid('ends inside a length');
        more = packed[from++]!;
      }
    if (matched > toMax - to) throw invalid('holds more than it declares');
    if (matched > copiedByHandMax && distance >= matched) {
      raw.copyWithin(to, to - distance, to - distance + matched);
      to += matched;
    } else for (const stop = to + matched; to < stop; to++) raw[to] = raw[to - distance]!;
  }
}

/** Below this many bytes a loop is faster than a call of `set` or `copyWithin`. */
const copiedByHandMax = 64;

function invalid(what: string): FirnError {
  return new FirnError('invalid-request', `A chunk of the xorb cannot be decoded: its LZ4 frame ${what}.`);
}
