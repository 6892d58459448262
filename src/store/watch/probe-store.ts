import { randomUUID } from 'node:crypto';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { bodyOf } from '../body-of.ts';
import type { ObjectStore } from '../object-store.ts';

/** Prefix of probe objects; a killed process leaves its own behind. */
export const probePrefix = 'probe/';
/** Size of the probe object, in bytes; any size works. */
const probeBytes = 16;

/**
 * Writes a small object, reads it back and deletes it. Rejects with the failure, or with `internal` if other bytes come
 * back.
 */
export async function probeStore(store: ObjectStore): Promise<void> {
  const id = randomUUID();
  const key = `${probePrefix}${id}`;
  const content = Buffer.from(id).subarray(0, probeBytes);
  await store.put(key, bodyOf(content), { sizeMaxBytes: probeBytes });
  try {
    const reader = await store.open(key);
    try {
      const back = await reader.read(0, reader.sizeBytes);
      if (!content.equals(back)) throw new FirnError('internal', 'The storage returned other bytes than were written.');
    } finally {
      await reader.close();
    }
  } finally {
    await store.delete(key);
  }
}
