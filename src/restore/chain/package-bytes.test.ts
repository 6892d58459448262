import { describe, expect, it } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import { chunkBytes } from '../../store/object-store.ts';
import { PackageBytes } from './package-bytes.ts';

function setup(sizeBytes: number) {
  const store = new MemoryStore();
  const whole = Uint8Array.from({ length: sizeBytes }, (_, i) => (i * 31 + (i >> 8)) & 255);
  store.objects.set('p', whole);
  return { store, whole, bytes: new PackageBytes(() => store.open('p')) };
}

describe('PackageBytes', () => {
  it('reads any range, over window edges and up to the end', async () => {
    const { whole, bytes } = setup(3 * chunkBytes + 17);
    for (const [offset, length] of [
      [0, 1],
      [chunkBytes - 1, 2],
      [5, 3 * chunkBytes + 12],
      [3 * chunkBytes + 16, 1],
      [chunkBytes, chunkBytes],
      [9, 0],
    ] as const) {
      expect(Buffer.from(await bytes.read(offset, length)).equals(whole.subarray(offset, offset + length))).toBe(true);
    }
    await bytes.close();
  });

  it('reads a window once for many neighbouring payloads, and opens the object once', async () => {
    const { store, bytes } = setup(chunkBytes);
    expect(store.openReaders).toBe(0);
    await Promise.all(Array.from({ length: 100 }, (_, i) => bytes.read(i * 10, 10)));
    expect([store.reads, store.openReaders]).toEqual([1, 1]);
    await bytes.close();
    expect(store.openReaders).toBe(0);
  });

  it('does not keep a failure', async () => {
    const store = new MemoryStore();
    let failing = true;
    store.objects.set('p', Uint8Array.of(1, 2, 3));
    const bytes = new PackageBytes(async () => {
      const reader = await store.open('p');
      return {
        ...reader,
        read: (offset, length) =>
          failing ? Promise.reject(new FirnError('internal', 'The disk is away.')) : reader.read(offset, length),
      };
    });
    await expect(bytes.read(0, 2)).rejects.toMatchObject({ code: 'internal' });
    failing = false;
    expect([...(await bytes.read(0, 2))]).toEqual([1, 2]);
    await bytes.close();
  });
});
