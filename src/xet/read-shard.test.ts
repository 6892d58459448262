import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../checkpoint/firn-error.ts';
import { encodeShard, entry, sectionEnd, type PlainShard } from './encode-shard.test-support.ts';
import { joinBytes } from './encode-xorb.test-support.ts';
import { readShard, type Shard } from './read-shard.ts';
import { textOfXetHash } from './xet-hash.ts';

const hash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((bytes) => bytes.some((byte) => byte !== 255))
  .map((bytes) => textOfXetHash(bytes));

const term = fc
  .record({ xorb: hash, start: fc.nat(8191), count: fc.integer({ min: 1, max: 300 }), bytesPerChunk: fc.nat(65536) })
  .map(({ xorb, start, count, bytesPerChunk }) => {
    const range = { start, end: Math.min(start + count, 8192) };
    return { xorb, range, rawBytes: (range.end - range.start) * (1 + bytesPerChunk), verification: undefined };
  });

const file = fc
  .record({
    hash,
    terms: fc.array(term, { minLength: 1, maxLength: 5 }),
    sha256: fc.option(hash, { nil: undefined }),
    verification: fc.option(hash, { nil: undefined }),
  })
  .map(({ verification, ...rest }) => ({ ...rest, terms: rest.terms.map((one) => ({ ...one, verification })) }));

const xorb = fc.record({
  hash,
  chunks: fc.array(fc.record({ hash, rawBytes: fc.integer({ min: 1, max: 131072 }) }), { minLength: 1, maxLength: 6 }),
});

const shards: fc.Arbitrary<PlainShard> = fc.record({
  files: fc.array(file, { maxLength: 4 }),
  xorbs: fc.array(xorb, { maxLength: 4 }),
  footer: fc.boolean(),
});

/** One file and one xorb. */
function smallShard(footer: boolean): Uint8Array {
  const [a, b, c, d] = ['11', '22', '33', '44'].map((pair) => pair.repeat(32));
  const terms = [
    { xorb: b!, range: { start: 0, end: 1 }, rawBytes: 10, verification: d },
    { xorb: b!, range: { start: 1, end: 2 }, rawBytes: 20, verification: c },
  ];
  const chunks = [
    { hash: c!, rawBytes: 10 },
    { hash: d!, rawBytes: 20 },
  ];
  return encodeShard({ files: [{ hash: a!, terms, sha256: c }], xorbs: [{ hash: b!, chunks }], footer });
}

function plainXorbs({ xorbs }: Shard): PlainShard['xorbs'] {
  return xorbs.map(({ hash, chunkCount, chunkAt }) => ({
    hash,
    chunks: Array.from({ length: chunkCount }, (_, index) => chunkAt(index)),
  }));
}

function refusal(bytes: Uint8Array): { code: string; message: string } | undefined {
  try {
    plainXorbs(readShard(bytes));
  } catch (error) {
    if (error instanceof FirnError) return { code: error.code, message: error.message };
    throw error;
  }
  return undefined;
}

function invalid(why: string): unknown {
  return { code: 'invalid-request', message: expect.stringContaining(why) as string };
}

test('a shard gives the files and xorbs it was made from, with a footer or without', () => {
  fc.assert(
    fc.property(shards, (plain) => {
      const shard = readShard(encodeShard(plain));
      expect(shard.files).toEqual(plain.files);
      expect(plainXorbs(shard)).toEqual(plain.xorbs);
    }),
  );
});

test('the encoder of the tests writes what the client writes', () => {
  const bytes = readFileSync(join(import.meta.dirname, 'fixtures/shared-0.shard'));
  const shard = readShard(bytes);
  const again = encodeShard({ files: shard.files, xorbs: plainXorbs(shard) });
  expect(readShard(again).files).toEqual(shard.files);
  expect(again.length).toBe(bytes.length);
});

test.each([false, true])('a shard cut at any byte, or with more after it, is refused (footer: %j)', (footer) => {
  const bytes = smallShard(footer);
  expect(refusal(bytes)).toBeUndefined();
  for (let end = 0; end < bytes.length; end++)
    expect(refusal(bytes.subarray(0, end))).toMatchObject({ code: 'invalid-request' });
  for (const more of [1, 48, 200])
    expect(refusal(joinBytes(bytes, new Uint8Array(more)))).toMatchObject({ code: 'invalid-request' });
});

test.each([false, true])('a shard with any bit changed is read or refused (footer: %j)', (footer) => {
  const bytes = smallShard(footer);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Uint8Array.from(bytes);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    const code = refusal(changed)?.code;
    if (code !== undefined) expect(['invalid-request', 'payload-too-large']).toContain(code);
  }
});

test('any fields in place of a shard’s own are read or refused', () => {
  const bytes = smallShard(true);
  const word = fc.constantFrom(0, 1, 2, 47, 48, 8192, 0x3fffffff, 0x7fffffff, 0x80000000, 0xffffffff);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(bytes.length / 4 - 1), word), { minLength: 1, maxLength: 3 }), (changes) => {
      const changed = Buffer.from(bytes);
      for (const [place, value] of changes) changed.writeUInt32LE(value, place * 4);
      refusal(changed);
    }),
    { numRuns: 2000 },
  );
});

describe('a shard is refused', () => {
  const [one, two] = ['11'.repeat(32), '22'.repeat(32)];
  const header = smallShard(false).subarray(0, 48);
  const withFile = (...entries: Uint8Array[]) => joinBytes(header, ...entries, sectionEnd, sectionEnd);
  const withXorb = (...entries: Uint8Array[]) => joinBytes(header, sectionEnd, ...entries, sectionEnd);
  const fileEntry = (terms: number, flags = 0) => entry(one, flags, terms, 0, 0);
  const termEntry = (rawBytes: number, start: number, end: number) => entry(two, 0, rawBytes, start, end);
  const xorbEntry = (chunks: number, rawBytes: number) => entry(one, 0, chunks, rawBytes, 0);
  const chunkEntry = (at: number, rawBytes: number) => entry(two, at, rawBytes, 0, 0);

  test.each([
    ['of another version', header.with(32, 3), 'version 3'],
    ['with a version beyond all numbers', header.with(39, 255), 'which is no size'],
    ['with a footer of another size', header.with(40, 199), 'footer of 199 bytes'],
    ['if it is another format', Buffer.alloc(500), 'do not begin as a shard'],
    ['with unknown flags of a file', withFile(fileEntry(1, 1), termEntry(1, 0, 1)), 'flags that are not known'],
    ['with a file without terms', withFile(fileEntry(0)), 'has no terms'],
    ['with an empty range', withFile(fileEntry(1), termEntry(1, 3, 3)), 'chunks 3 to 3'],
    ['with a range backwards', withFile(fileEntry(1), termEntry(1, 4, 3)), 'chunks 4 to 3'],
    ['with a range beyond all xorbs', withFile(fileEntry(1), termEntry(9, 8192, 8193)), 'chunks 8192 to 8193'],
    ['with a term without bytes', withFile(fileEntry(1), termEntry(0, 0, 1)), '1 chunks hold 0 bytes'],
    ['with a term of too many bytes', withFile(fileEntry(1), termEntry(2 ** 31, 0, 1)), `hold ${2 ** 31} bytes`],
    ['with more terms than bytes', joinBytes(header, fileEntry(9), termEntry(1, 0, 1)), 'ends inside the files'],
    ['with a xorb without chunks', withXorb(xorbEntry(0, 0)), '0 chunks'],
    ['with a xorb of 8193 chunks', withXorb(xorbEntry(8193, 1)), '8193 chunks'],
    ['with more chunks than bytes', withXorb(xorbEntry(9, 1), chunkEntry(0, 1)), 'chunk 1 out of its place'],
    ['with a chunk out of place', withXorb(xorbEntry(1, 5), chunkEntry(1, 5)), 'chunk 0 out of its place'],
    ['with chunks that overlap', withXorb(xorbEntry(2, 8), chunkEntry(0, 5), chunkEntry(4, 4)), 'chunk 1 out of its'],
    ['with an empty chunk', withXorb(xorbEntry(1, 0), chunkEntry(0, 0)), 'a chunk of 0 bytes'],
    ['with a chunk above 128 KiB', withXorb(xorbEntry(1, 131073), chunkEntry(0, 131073)), 'a chunk of 131073 bytes'],
    ['with a wrong sum', withXorb(xorbEntry(1, 6), chunkEntry(0, 5)), 'chunks of 5 bytes, but declares 6'],
    ['if it goes on after the end', joinBytes(smallShard(false), Uint8Array.of(0)), 'goes on after its last section'],
  ])('%s', (_, bytes, why) => expect(refusal(bytes)).toEqual(invalid(why)));

  const footerField = (place: number, value: number) => {
    const bytes = Buffer.from(smallShard(true));
    bytes.writeBigUInt64LE(BigInt(value), bytes.length - 200 + place);
    return bytes;
  };
  test.each([
    ['of another version', footerField(0, 2), 'version 2'],
    ['that misplaces the files', footerField(8, 96), 'misplaces the files'],
    ['that misplaces the xorbs', footerField(16, 48), 'misplaces the xorbs'],
    ['with lookup tables in another order', footerField(24, 0), 'misplaces a lookup table'],
    ['with lookup tables that overlap', footerField(40, 48), 'misplaces a lookup table'],
    ['with a lookup table beyond the end', footerField(32, 2 ** 50), 'beyond the end'],
    ['with a number beyond all sizes', footerField(32, 2 ** 60), 'which is no size'],
    ['with a short last table', footerField(64, 1), 'is not where it says'],
    ['that is not where it says', footerField(192, 0), 'is not where it says'],
    ['that protects hashes with a key', footerField(72, 1), 'protected with a key'],
  ])('with a footer %s', (_, bytes, why) => expect(refusal(bytes)).toEqual(invalid(why)));

  test('above 64 MiB', () => {
    expect(refusal(new Uint8Array(64 * 1024 * 1024 + 1))).toMatchObject({ code: 'payload-too-large' });
  });

  test('with more than 262144 terms, before they are read', () => {
    expect(refusal(withFile(fileEntry(262_145)))).toMatchObject({ code: 'payload-too-large' });
    expect(refusal(withFile(fileEntry(0xffffffff)))).toMatchObject({ code: 'payload-too-large' });
  });

  test('with more than 65536 files', () => {
    const file = joinBytes(fileEntry(1), termEntry(1, 0, 1));
    const files = Buffer.concat(Array.from({ length: 65_537 }, () => file));
    expect(refusal(withFile(files.subarray(96)))).toBeUndefined();
    expect(refusal(withFile(files))).toMatchObject({ code: 'payload-too-large' });
  });
});
