import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOfXetHash, createXetHasher, emptyXetHash, parseXetHash, textOfXetHash } from './xet-hash.ts';

const hasher = await createXetHasher();
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => textOfXetHash(bytes));

test('the text form turns each group of 8 bytes around', () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, index) => index);
  expect(textOfXetHash(bytes)).toBe('07060504030201000f0e0d0c0b0a090817161514131211101f1e1d1c1b1a1918');
});

test('text and bytes of a hash name each other, and the bytes are left as they were', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const before = Uint8Array.from(bytes);
      expect(new Uint8Array(bytesOfXetHash(parseXetHash(textOfXetHash(bytes))))).toEqual(before);
      expect(bytes).toEqual(before);
    }),
  );
});

test.each(['', 'f'.repeat(63), 'F'.repeat(64), 'g'.repeat(64), `${'f'.repeat(64)}\n`])('%j is not a hash', (text) => {
  expect(() => parseXetHash(text)).toThrow(expect.objectContaining({ code: 'invalid-request' }));
});

test('the chunk of one byte 42 has the hash that hf_xet 1.6.0 gives it', () => {
  const known = 'd7de06419b88c698d82023bc81af438619dc5543d6a30c7d4cd14974061bedee';
  expect(hasher.hashChunk(Uint8Array.of(42))).toBe(known);
});

test('a tree of one chunk is the chunk; of none, zeros', async () => {
  fc.assert(
    fc.property(hash, (one) => {
      expect(hasher.hashXorb([{ hash: one, rawBytes: 1 }])).toBe(one);
    }),
  );
  expect(hasher.hashXorb([])).toBe(emptyXetHash);
  expect(await hasher.hashFile([])).toBe(emptyXetHash);
});

test('hashes depend on every chunk, on its size and on the order', async () => {
  const chunks = fc.uniqueArray(hash, { minLength: 2, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(chunks, fc.nat(), async (hashes, pick) => {
      const leaves = hashes.map((one) => ({ hash: one, rawBytes: 10 }));
      const index = pick % (leaves.length - 1);
      const root = hasher.hashXorb(leaves);
      const longer = leaves.with(index, { ...leaves[index]!, rawBytes: 11 });
      const swapped = leaves.with(index, leaves[index + 1]!).with(index + 1, leaves[index]!);
      expect(hasher.hashXorb(longer)).not.toBe(root);
      expect(hasher.hashXorb(swapped)).not.toBe(root);
      expect(hasher.hashXorb(leaves.slice(1))).not.toBe(root);
      expect(await hasher.hashFile(leaves)).not.toBe(root);
      expect(hasher.hashRange(hashes)).not.toBe(hasher.hashRange(hashes.toReversed()));
    }),
  );
});
