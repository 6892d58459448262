import { createHash } from 'node:crypto';

/**
 * SHA-256 (hex) of a package without the ids in it, which follow from the checkpoint's own and differ in every hub, and
 * without its own checksum. Changes `stored`. The layout is that of docs/format.md.
 */
export function packageDigest(stored: Buffer): string {
  const indexOffset = Number(stored.readBigUInt64LE(stored.length - 16));
  const isDelta = (stored[indexOffset]! & 1) === 1;
  stored.fill(0, 8, 24);
  if (isDelta) stored.fill(0, indexOffset + 1, indexOffset + 17);
  return createHash('sha256').update(stored.subarray(0, -4)).digest('hex');
}
