import { FirnError } from '../firn-error.ts';
import { defaultSafetensorsLimits, headerLengthBytes, type SafetensorsLimits } from './safetensors-limits.ts';

/** Bytes of a file that `checkSafetensorsPrefix` looks at: the length field and the JSON's first byte. */
export const prefixBytes = headerLengthBytes + 1;

const openBrace = 0x7b;

/**
 * First bytes of other formats, in the order they are tried. `80` alone would also match lengths; it is tried only if
 * "{" is missing.
 */
const strangers: readonly { readonly magic: readonly number[]; readonly what: string }[] = [
  {
    magic: [0x50, 0x4b, 0x03, 0x04],
    what: 'a zip archive, as PyTorch and NumPy write them; pickles inside are never read',
  },
  { magic: [0x80], what: 'a Python pickle; pickles are never read' },
  { magic: [0x47, 0x47, 0x55, 0x46], what: 'a GGUF file' },
  { magic: [0x89, 0x48, 0x44, 0x46], what: 'an HDF5 file' },
  { magic: [0x93, 0x4e, 0x55, 0x4d], what: 'a NumPy array' },
  { magic: [0x1f, 0x8b], what: 'a gzip file' },
  { magic: [...Buffer.from('version ')], what: 'a Git LFS pointer, not the file it points to' },
];

/**
 * Judges a file by its first `prefixBytes` bytes, before anything is allocated, and returns the length of its whole
 * header (length field and JSON) in bytes. `fileBytes` is the file's size, if known. Throws `not-safetensors`,
 * `header-truncated`, `header-too-large`.
 */
export function checkSafetensorsPrefix(
  prefix: Uint8Array,
  fileBytes?: number,
  limits: SafetensorsLimits = defaultSafetensorsLimits,
): number {
  if (prefix.length < prefixBytes) throw truncated();
  if (prefix[headerLengthBytes] !== openBrace) throw new FirnError('not-safetensors', describeStranger(prefix));
  const length = new DataView(prefix.buffer, prefix.byteOffset, headerLengthBytes).getBigUint64(0, true);
  if (length > BigInt(limits.headerBytesMax)) {
    throw new FirnError(
      'header-too-large',
      `The safetensors header announces ${length} bytes; at most ${limits.headerBytesMax} are accepted.`,
    );
  }
  const headerBytes = headerLengthBytes + Number(length);
  if (fileBytes !== undefined && headerBytes > fileBytes) throw truncated();
  if (length < 2n) throw new FirnError('header-invalid', 'The safetensors header is too short to hold "{}".');
  return headerBytes;
}

export function truncated(): FirnError {
  return new FirnError('header-truncated', 'The file ends inside its safetensors header.');
}

function describeStranger(prefix: Uint8Array): string {
  const known = strangers.find(({ magic }) => magic.every((byte, i) => prefix[i] === byte));
  return known === undefined
    ? 'The file is not safetensors: no "{" after the eight bytes of the header length.'
    : `The file is not safetensors but ${known.what}.`;
}
