import { describe, expect, it } from 'vitest';
import { FirnError } from '../checkpoint/firn-error.ts';
import { loadCore } from '../native/load-core.ts';
import { MemoryStore } from './memory-store.test-support.ts';
import { decodeStoredIndex, readStoredIndex } from './open-package.ts';
import { encodePrefix, encodeTrailer, prefixBytes, trailerBytes } from './package-frame.ts';
import { frameBytes, writePackage, type PackageDraft } from './write-package.ts';

const core = loadCore();
const id = '0123456789abcdef'.repeat(2);
const sha256 = '00'.repeat(32);

const draft: PackageDraft = {
  formatVersion: 1,
  id,
  kind: 'base',
  codebooks: [],
  tableSets: [],
  files: [
    { path: 'a', sizeBytes: 3, sha256, content: { type: 'blob' } },
    { path: 'empty', sizeBytes: 0, sha256, content: { type: 'blob' } },
    { path: 'raw', sizeBytes: 99, sha256, content: { type: 'external' } },
    { path: 'b', sizeBytes: 131_073, sha256, content: { type: 'blob' } },
  ],
};

async function* payloads(...all: (Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
  for (const payload of all) {
    if (payload instanceof Error) throw payload;
    yield payload;
  }
}

const good = [Uint8Array.of(0, 1, 2, 3), new Uint8Array(1000), Uint8Array.of(0, 7)];

async function write(all: (Uint8Array | Error)[]) {
  const store = new MemoryStore();
  const written = await writePackage(
    { store, key: 'p', sizeMaxBytes: 1e6, crc32c: core.crc32cSync },
    { id, formatVersion: 1, payloads: payloads(...all), draft: () => draft },
  );
  return { store, written };
}

describe('writePackage', () => {
  it('writes bytes that a reader can open without other data', async () => {
    const { store, written } = await write(good);
    const bytes = store.objects.get('p')!;
    expect(written.object.sizeBytes).toBe(bytes.length);
    expect(written.indexOffsetBytes).toBe(prefixBytes + 4 + 1000 + 2);
    expect(written.indexOffsetBytes + written.indexLengthBytes + trailerBytes).toBe(bytes.length);
    expect(frameBytes(written.index)).toBe(bytes.length - 1006);
    const stored = await readStoredIndex(await store.open('p'), core.crc32cSync);
    expect(stored).toMatchObject({
      id,
      ancestorId: undefined,
      indexOffsetBytes: written.indexOffsetBytes,
      indexLengthBytes: written.indexLengthBytes,
    });
    expect(decodeStoredIndex(stored, undefined)).toEqual(written.index);
    expect(
      written.index.files.map(({ content }) =>
        content.type === 'external'
          ? []
          : content.blocks.map(({ offsetBytes, lengthBytes }) => [offsetBytes, lengthBytes]),
      ),
    ).toEqual([
      [[24, 4]],
      [],
      [],
      [
        [28, 1000],
        [1028, 2],
      ],
    ]);
  });

  it('fails with the producer, and when payloads and plan differ in number', async () => {
    await expect(write([good[0]!, new FirnError('cancelled', 'Stop.')])).rejects.toMatchObject({ code: 'cancelled' });
    await expect(write(good.slice(1))).rejects.toMatchObject({ code: 'internal' });
    await expect(write([...good, good[0]!])).rejects.toMatchObject({ code: 'internal' });
  });

  it('refuses payloads that do not fill the package', async () => {
    const { store, written } = await write(good);
    const bytes = store.objects.get('p')!;
    // One byte more between the payloads and the index, with a frame that is right otherwise.
    const index = bytes.subarray(written.indexOffsetBytes, written.indexOffsetBytes + written.indexLengthBytes);
    const body = Buffer.concat([bytes.subarray(0, written.indexOffsetBytes), Uint8Array.of(0), index]);
    store.objects.set(
      'p',
      Buffer.concat([body, encodeTrailer(encodePrefix(id, 1), index, written.indexOffsetBytes + 1, core.crc32cSync)]),
    );
    const stored = await readStoredIndex(await store.open('p'), core.crc32cSync);
    expect(() => decodeStoredIndex(stored, undefined)).toThrow(expect.objectContaining({ code: 'corrupt-package' }));
  });
});
