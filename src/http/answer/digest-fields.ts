import { FirnError } from '../../checkpoint/firn-error.ts';

/** Digests in a digest field, in lower-case hex digits. */
export interface AnnouncedDigests {
  readonly sha256?: string;
  readonly sha512?: string;
}

/** One member of a Dictionary (RFC 8941 section 3.2): a key, and everything after the "=". */
const memberPattern = /^([a-z*][a-z0-9_.*-]*)(?:=(.+))?$/;
/** A Byte Sequence (RFC 8941 section 3.3.5); parameters after it are ignored. */
const byteSequence = /^:([A-Za-z0-9+/]+={0,2}):(?:;.*)?$/;

/** The value of a Repr-Digest (RFC 9530 section 3), `sha-256=:<base64>:`, from 64 hex digits. */
export function formatDigest(sha256Hex: string): string {
  return `sha-256=:${Buffer.from(sha256Hex, 'hex').toString('base64')}:`;
}

/**
 * The sha-256 and sha-512 of a Repr-Digest or Content-Digest field (RFC 9530); other algorithms are ignored, as the RFC
 * allows. `invalid-request` if the field is no Dictionary with lower-case keys, or if one of the two digests is not
 * base64 of the right length.
 */
export function parseDigest(field: string | undefined): AnnouncedDigests {
  // A later member replaces an earlier one of the same key (RFC 8941 section 3.2).
  const members = new Map(field === undefined || field.trim() === '' ? [] : field.split(',').map(parseMember));
  const sha256 = digestOf(members, 'sha-256', 32);
  const sha512 = digestOf(members, 'sha-512', 64);
  return { ...(sha256 !== undefined && { sha256 }), ...(sha512 !== undefined && { sha512 }) };
}

function parseMember(text: string): [key: string, value: string] {
  const match = memberPattern.exec(text.trim());
  if (match === null) {
    throw new FirnError(
      'invalid-request',
      'A digest field must be a list of key=:base64: with lower-case keys, such as sha-256=:...: (RFC 9530).',
    );
  }
  return [match[1]!, match[2] ?? ''];
}

function digestOf(members: ReadonlyMap<string, string>, key: string, sizeBytes: number): string | undefined {
  const value = members.get(key);
  if (value === undefined) return undefined;
  const match = byteSequence.exec(value);
  const bytes = match === null ? undefined : Buffer.from(match[1]!, 'base64');
  if (bytes?.length !== sizeBytes)
    throw new FirnError('invalid-request', `The ${key} of a digest field must be ${sizeBytes} bytes as :base64:.`);
  return bytes.toString('hex');
}
