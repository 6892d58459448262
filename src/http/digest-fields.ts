import { FirnError } from '../checkpoint/firn-error.ts';

/** Bytes of a sha256 digest. */
const sha256Bytes = 32;

/** `sha-256=:<base64>:` from 64 hex digits: the value of a Repr-Digest (RFC 9530 section 3). */
export function formatDigest(sha256Hex: string): string {
  return `sha-256=:${Buffer.from(sha256Hex, 'hex').toString('base64')}:`;
}

/**
 * The sha-256 of a Repr-Digest or Content-Digest field as 64 hex digits; undefined when the field is absent or names only other
 * algorithms, which a recipient may ignore. `invalid-request` when it is there and is not 32 bytes of base64.
 */
export function parseDigest(field: string | undefined): string | undefined {
  if (field === undefined) return undefined;
  const members = field.split(',').map((member) => member.trim());
  // A later member replaces an earlier one of the same key (RFC 8941 section 3.2).
  const value = members.findLast((member) => member.startsWith('sha-256='))?.slice('sha-256='.length);
  if (value === undefined) return undefined;
  const match = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(value);
  const bytes = match === null ? undefined : Buffer.from(match[1]!, 'base64');
  if (bytes?.length !== sha256Bytes) throw new FirnError('invalid-request', 'The sha-256 of a digest field must be 32 bytes as :base64:.');
  return bytes.toString('hex');
}
