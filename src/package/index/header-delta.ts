import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';
import { corruptPackage } from '../corrupt-package.ts';
import { fileBytesMax, indexBytesMax } from '../format-limits.ts';

/** Furthest a deflate match reaches back, in bytes (RFC 1951). Of a longer dictionary, zlib uses the end. */
const windowBytes = 32 * 1024;
const space = 0x20;

/**
 * Writes a safetensors header's JSON without the start and end that it shares with the ancestor's JSON (docs/format.md,
 * "Header"). Trailing spaces do not count. The rest is deflated with the ancestor's corresponding part as preset
 * dictionary, so a header that differs only in its metadata takes a few bytes, however long it is.
 */
export function writeHeaderJson(writer: ByteWriter, json: Uint8Array, ancestorJson: Uint8Array): void {
  const text = withoutPadding(json);
  const other = withoutPadding(ancestorJson);
  const shared = Math.min(text.length, other.length);
  let prefix = 0;
  while (prefix < shared && text[prefix] === other[prefix]) prefix++;
  let suffix = 0;
  while (suffix < shared - prefix && text[text.length - 1 - suffix] === other[other.length - 1 - suffix]) suffix++;
  const middle = text.subarray(prefix, text.length - suffix);
  writer
    .varint(json.length - text.length)
    .varint(prefix)
    .varint(suffix)
    .varint(middle.length);
  if (middle.length === 0) return;
  const deflated = deflateRawSync(middle, { level: 9, memLevel: 9, ...dictionaryOption(other, prefix, suffix) });
  writer.varint(deflated.length).append(deflated);
}

/**
 * Reads the output of `writeHeaderJson`. `budget` is charged with the header's length before the header is built.
 * Throws `corrupt-package`.
 */
export function readHeaderJson(reader: ByteReader, ancestorJson: Uint8Array, budget: MemoryBudget): Uint8Array {
  const other = withoutPadding(ancestorJson);
  const paddingBytes = reader.varint(fileBytesMax, 'the padding of a header');
  const prefix = reader.varint(other.length, 'the shared start of a header');
  const suffix = reader.varint(other.length - prefix, 'the shared end of a header');
  const middleBytes = reader.varint(fileBytesMax, 'the length of a header');
  budget.charge(prefix + suffix + middleBytes + paddingBytes);
  const parts = [other.subarray(0, prefix)];
  if (middleBytes > 0) {
    const deflated = reader.take(reader.varint(indexBytesMax, 'the length of a deflated header'));
    parts.push(inflateExactly(deflated, middleBytes, dictionaryOption(other, prefix, suffix)));
  }
  parts.push(other.subarray(other.length - suffix), new Uint8Array(paddingBytes).fill(space));
  return Buffer.concat(parts);
}

/**
 * Inflates one whole raw deflate stream to exactly `sizeBytes` bytes; never allocates much more. Throws
 * `corrupt-package`.
 */
export function inflateExactly(
  deflated: Uint8Array,
  sizeBytes: number,
  options: { dictionary?: Uint8Array } = {},
): Uint8Array {
  let result: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    // With `info`, zlib also returns its engine, which knows how many input bytes it used; the type declarations lack
    // this.
    result = inflateRawSync(deflated, {
      ...options,
      maxOutputLength: sizeBytes,
      info: true,
    }) as unknown as typeof result;
  } catch (error) {
    throw corruptPackage('a deflated part cannot be inflated', error);
  }
  if (result.buffer.length !== sizeBytes)
    throw corruptPackage(`a deflated part has ${result.buffer.length} bytes instead of ${sizeBytes}`);
  if (result.engine.bytesWritten !== deflated.length) throw corruptPackage('bytes follow a deflated part');
  return result.buffer;
}

/** Memory that decoding one index may still allocate. */
export class MemoryBudget {
  #leftBytes: number;

  constructor(leftBytes: number) {
    this.#leftBytes = leftBytes;
  }

  /** Throws `corrupt-package` if `bytes` is more than the rest. */
  charge(bytes: number): void {
    if (bytes > this.#leftBytes) throw corruptPackage('the index declares more bytes than a reader may allocate');
    this.#leftBytes -= bytes;
  }
}

/** Writers pad headers with spaces to align the data; this padding changes with every length. */
function withoutPadding(json: Uint8Array): Uint8Array {
  let end = json.length;
  while (end > 0 && json[end - 1] === space) end--;
  return json.subarray(0, end);
}

function dictionaryOption(ancestor: Uint8Array, prefix: number, suffix: number): { dictionary?: Uint8Array } {
  const changed = ancestor.subarray(prefix, ancestor.length - suffix);
  return changed.length === 0 ? {} : { dictionary: changed.subarray(Math.max(0, changed.length - windowBytes)) };
}
