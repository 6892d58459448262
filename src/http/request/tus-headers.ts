import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Checksum } from '../../ingest/resumable/receive-bytes.ts';

/** Longest Upload-Metadata, in characters; it is stored and returned. */
export const metadataLengthMax = 4096;
/** Most pairs of an Upload-Metadata. */
export const metadataPairsMax = 64;

/** Digest bytes by algorithm, for the algorithms that the checksum extension offers. */
const checksumBytes: Readonly<Record<Checksum['algorithm'], number>> = { sha1: 20, sha256: 32 };
export const checksumAlgorithms = Object.keys(checksumBytes) as readonly Checksum['algorithm'][];

/**
 * A number of bytes with at most 15 digits, which a JSON number holds exactly. `invalid-request` otherwise, also if it
 * is missing.
 */
export function parseByteCount(name: string, field: string | undefined): number {
  if (field === undefined || !/^\d{1,15}$/.test(field))
    throw new FirnError('invalid-request', `${name} must be a whole number of bytes, of at most 15 digits.`);
  return Number(field);
}

/**
 * Keys and values of an Upload-Metadata: `key base64, key base64, key`. `invalid-request` if the syntax is wrong, it is
 * too long, or a value is not UTF-8.
 */
export function parseMetadata(field: string | undefined): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  if (field === undefined || field.trim() === '') return pairs;
  if (field.length > metadataLengthMax) throw badMetadata(`longer than ${metadataLengthMax} characters`);
  for (const text of field.split(',', metadataPairsMax + 1)) {
    const [, key, value = ''] = /^ *([\x21-\x2b\x2d-\x7e]+)(?: ([A-Za-z0-9+/]*={0,2}))? *$/.exec(text) ?? [];
    if (key === undefined) throw badMetadata('not a list of keys, each followed by a space and base64');
    if (pairs.has(key)) throw badMetadata('a key occurs twice');
    pairs.set(key, decode(value));
    if (pairs.size > metadataPairsMax) throw badMetadata(`more than ${metadataPairsMax} pairs`);
  }
  return pairs;
}

/** An Upload-Checksum: `sha1 base64` or `sha256 base64`. `invalid-request` for another algorithm or a wrong length. */
export function parseChecksum(field: string | undefined): Checksum | undefined {
  if (field === undefined) return undefined;
  const [, name, base64 = ''] = /^(\S+) ([A-Za-z0-9+/]+={0,2})$/.exec(field.trim()) ?? [];
  const algorithm = checksumAlgorithms.find((each) => each === name);
  if (algorithm === undefined)
    throw new FirnError(
      'invalid-request',
      `Upload-Checksum must be one of ${checksumAlgorithms.join(', ')}, a space, and base64.`,
    );
  const digest = Buffer.from(base64, 'base64');
  if (digest.length !== checksumBytes[algorithm])
    throw new FirnError(
      'invalid-request',
      `The ${algorithm} of Upload-Checksum must be ${checksumBytes[algorithm]} bytes of base64.`,
    );
  return { algorithm, digest: digest.toString('hex') };
}

function decode(base64: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw badMetadata('a value is not UTF-8');
  }
}

function badMetadata(why: string): FirnError {
  return new FirnError('invalid-request', `Upload-Metadata is not valid: ${why}.`);
}
