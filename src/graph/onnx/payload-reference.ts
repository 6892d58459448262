import { FirnError } from '../../checkpoint/firn-error.ts';
import type { GraphSpan } from './graph-source.ts';

/**
 * Size of the reference that replaces a payload in an outline: two u64, little-endian, its start in the file and its
 * length.
 */
export const payloadReferenceBytes = 16;

export function writePayloadReference({ startBytes, lengthBytes }: GraphSpan): Uint8Array {
  const bytes = new Uint8Array(payloadReferenceBytes);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(startBytes), true);
  view.setBigUint64(8, BigInt(lengthBytes), true);
  return bytes;
}

/** An empty payload is its own reference. */
export function readPayloadReference(bytes: Uint8Array): GraphSpan {
  if (bytes.byteLength === 0) return { startBytes: 0, lengthBytes: 0 };
  if (bytes.byteLength !== payloadReferenceBytes)
    throw new FirnError('internal', 'A payload of an outline is no reference.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { startBytes: Number(view.getBigUint64(0, true)), lengthBytes: Number(view.getBigUint64(8, true)) };
}
