import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../checkpoint/firn-error.ts';
import { decodeChunkRange, placeOfChunks } from './decode-chunk-range.ts';
import {
  chunkHeader,
  encodeChunk,
  encodeXorb,
  joinBytes,
  xorbFooter,
  type PlainChunk,
} from './encode-xorb.test-support.ts';
import { checkXorbHash, readXorb, XorbReader, type XorbTable } from './read-xorb.ts';
import { createXetHasher } from './xet-hash.ts';

const hasher = await createXetHasher();

const chunk: fc.Arbitrary<PlainChunk> = fc.record({
  raw: fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 50 }), fc.integer({ min: 1, max: 20 }))
    .map(([part, count]) => joinBytes(...Array.from({ length: count }, () => part))),
  scheme: fc.constantFrom('none', 'lz4', 'grouped-lz4'),
});
const chunks = fc.array(chunk, { minLength: 1, maxLength: 6 });
const small: PlainChunk[] = [
  { raw: Buffer.from('ice ice ice ice ice ice ice ice'), scheme: 'lz4' },
  { raw: Buffer.from('snow'), scheme: 'none' },
  { raw: Buffer.from('aAbBaAbBaAbBaAbBaAbBaAbBaAbBaAbB!'), scheme: 'grouped-lz4' },
];

function read(...pieces: Uint8Array[]): XorbTable {
  const reader = new XorbReader(hasher);
  for (const piece of pieces) reader.push(piece);
  return reader.finish();
}

function refusal(bytes: Uint8Array): { code: string; message: string } | undefined {
  try {
    read(bytes);
  } catch (error) {
    if (error instanceof FirnError) return { code: error.code, message: error.message };
    throw error;
  }
  return undefined;
}

function piecesOf(bytes: Uint8Array, pieceBytes: number): Uint8Array[] {
  const count = Math.ceil(bytes.length / pieceBytes);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes));
}

test('a xorb gives the hash, size and place of each chunk, however it is cut into pieces and with any footer', () => {
  const footer = fc.constantFrom<undefined | 0 | 1>(undefined, 0, 1);
  fc.assert(
    fc.property(chunks, footer, fc.integer({ min: 1, max: 400 }), (plain, version, pieceBytes) => {
      const body = encodeXorb(plain);
      const bytes = version === undefined ? body : joinBytes(body, xorbFooter(version, plain.length));
      const table = read(...piecesOf(bytes, pieceBytes));
      expect(table.chunks.map(({ hash, rawBytes }) => ({ hash, rawBytes }))).toEqual(
        plain.map(({ raw }) => ({ hash: hasher.hashChunk(raw), rawBytes: raw.length })),
      );
      expect(table.packedBytes).toBe(body.length);
      expect(table.rawBytes).toBe(plain.reduce((sum, { raw }) => sum + raw.length, 0));
      checkXorbHash(table.chunks, hasher.hashXorb(table.chunks), hasher);
    }),
  );
});

test('any range of chunks is decoded from its own bytes of the stored xorb', () => {
  fc.assert(
    fc.property(chunks, fc.nat(), fc.nat(), (plain, first, count) => {
      const bytes = encodeXorb(plain);
      const { chunks: table } = read(bytes);
      const start = first % plain.length;
      const range = { start, end: start + 1 + (count % (plain.length - start)) };
      const { offset, lengthBytes } = placeOfChunks(table, range);
      const place = bytes.subarray(offset, offset + lengthBytes);
      const parts = [...decodeChunkRange({ chunks: table, range, bytes: place, hasher })];
      expect(parts.map((part) => Buffer.from(part).toString('hex'))).toEqual(
        plain.slice(range.start, range.end).map(({ raw }) => Buffer.from(raw).toString('hex')),
      );
    }),
  );
});

test('a stored xorb with any bit changed gives the same bytes or an error, never other bytes', () => {
  const bytes = encodeXorb(small);
  const { chunks: table } = read(bytes);
  const range = { start: 0, end: small.length };
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Uint8Array.from(bytes);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    try {
      const parts = [...decodeChunkRange({ chunks: table, range, bytes: changed, hasher })];
      expect(Buffer.concat(parts).equals(Buffer.concat(small.map(({ raw }) => raw)))).toBe(true);
    } catch (error) {
      expect(error).toMatchObject({ code: 'corrupt-object' });
    }
  }
});

test('bytes of a stored xorb that are cut off or misplaced are corrupt', () => {
  const bytes = encodeXorb(small);
  const { chunks: table } = read(bytes);
  const decode = (place: Uint8Array) => [
    ...decodeChunkRange({ chunks: table, range: { start: 0, end: 1 }, bytes: place, hasher }),
  ];
  expect(() => decode(bytes.subarray(0, table[0]!.lengthBytes - 1))).toThrow(
    expect.objectContaining({ code: 'corrupt-object' }),
  );
  expect(() => decode(bytes.subarray(1, table[0]!.lengthBytes + 1))).toThrow(
    expect.objectContaining({ code: 'corrupt-object' }),
  );
});

test('a xorb cut anywhere but between two chunks is refused; between two, it has another hash', () => {
  for (const footer of [new Uint8Array(), xorbFooter(0, 3), xorbFooter(1, 3)]) {
    const bytes = joinBytes(encodeXorb(small), footer);
    const whole = read(bytes);
    const hash = hasher.hashXorb(whole.chunks);
    const edges = whole.chunks.map(({ offset }) => offset);
    for (let end = 0; end < bytes.length; end++) {
      const cut = bytes.subarray(0, end);
      if (end === whole.packedBytes) expect(read(cut)).toEqual(whole);
      else if (end > 0 && edges.includes(end))
        expect(() => checkXorbHash(read(cut).chunks, hash, hasher)).toThrow(
          expect.objectContaining({ code: 'digest-mismatch' }),
        );
      else expect(refusal(cut)?.code).toBe('invalid-request');
    }
  }
});

test('a xorb with any bit changed is refused, has another hash or unpacks to the same chunks', () => {
  const bytes = joinBytes(encodeXorb(small), xorbFooter(1, 3));
  const whole = read(bytes);
  const hash = hasher.hashXorb(whole.chunks);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Uint8Array.from(bytes);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    try {
      const table = read(changed);
      checkXorbHash(table.chunks, hash, hasher);
      expect(table).toEqual(whole);
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      expect(['invalid-request', 'digest-mismatch', 'payload-too-large']).toContain(error.code);
    }
  }
});

test('any bytes after a valid header are read or refused', () => {
  const header = fc.record({
    scheme: fc.nat(3),
    packedBytes: fc.integer({ min: 0, max: 300_000 }),
    rawBytes: fc.integer({ min: 0, max: 200_000 }),
  });
  fc.assert(
    fc.property(header, fc.uint8Array({ maxLength: 200 }), (fields, rest) => {
      refusal(joinBytes(chunkHeader(fields), rest));
    }),
  );
});

describe('a xorb is refused', () => {
  const one = small[1]!;
  const body = encodeXorb([one]);
  const header = (fields: Partial<Parameters<typeof chunkHeader>[0]>) =>
    joinBytes(chunkHeader({ scheme: 'none', packedBytes: 4, rawBytes: 4, ...fields }), Buffer.from('snow'));
  test.each([
    ['if it is empty', new Uint8Array(), 'has no chunks'],
    ['if it is only a footer', xorbFooter(1, 0), 'has no chunks'],
    ['with a chunk of another version', body.with(0, 1), 'version 1'],
    ['with an unknown scheme', header({ scheme: 3 }), 'scheme 3'],
    ['with the scheme that clients choose by themselves', header({ scheme: 99 }), 'scheme 99'],
    ['with an empty chunk', header({ packedBytes: 0, rawBytes: 0 }), 'is empty'],
    ['with a chunk without packed bytes', header({ scheme: 'lz4', packedBytes: 0 }), 'no packed bytes'],
    ['with a chunk above 128 KiB', header({ packedBytes: 131073, rawBytes: 131073 }), 'at most 131072'],
    ['with more than 256 KiB packed', header({ scheme: 'lz4', packedBytes: 262145 }), '262144 is the most'],
    ['if a plain chunk has two sizes', header({ rawBytes: 5 }), 'declares 4 bytes for 5'],
    ['if a frame holds more', lying(small[0]!, -1), 'holds more than it declares'],
    ['if a frame holds less', lying(small[0]!, +1), 'holds fewer bytes than declared'],
    ['with a footer of an unknown version', joinBytes(body, xorbFooter(1, 1).with(7, 2)), 'footer of version 2'],
    ['with a footer of another number of chunks', joinBytes(body, xorbFooter(1, 2)), 'does not have the length'],
    ['with a byte after the footer', joinBytes(body, xorbFooter(0, 1), Uint8Array.of(0)), 'does not have the length'],
    ['if the footer misstates its length', joinBytes(body, xorbFooter(0, 1).with(-1, 1)), 'does not have the length'],
  ])('%s', (_, bytes, why) => expect(refusal(bytes)).toEqual(invalidBecause(why)));

  test('with more than 8192 chunks', () => {
    const chunkBytes = encodeChunk({ raw: Uint8Array.of(1), scheme: 'none' });
    const full = joinBytes(...Array.from({ length: 8192 }, () => chunkBytes));
    expect(read(full).chunks).toHaveLength(8192);
    expect(refusal(joinBytes(full, chunkBytes))).toMatchObject({ code: 'payload-too-large' });
  });

  test('with more than 64 MiB unpacked, before the chunk above it is received', () => {
    const reader = new XorbReader(hasher);
    const zeros = encodeChunk({ raw: new Uint8Array(131072), scheme: 'lz4' });
    for (let index = 0; index < 512; index++) reader.push(zeros);
    expect(() => reader.push(zeros.subarray(0, 8))).toThrow(expect.objectContaining({ code: 'payload-too-large' }));
  });

  test('with more than 64 MiB packed', () => {
    const reader = new XorbReader(hasher);
    // Checksums of empty blocks make frames long: 256 KiB that unpack to 4 bytes.
    const padded = paddedChunk();
    expect(() => {
      for (let index = 0; index < 300; index++) reader.push(padded);
    }).toThrow(expect.objectContaining({ code: 'payload-too-large' }));
  });

  function lying({ raw, scheme }: PlainChunk, off: number): Uint8Array {
    const bytes = encodeChunk({ raw, scheme });
    return bytes.with(5, bytes[5]! + off);
  }

  function paddedChunk(): Uint8Array {
    const start = Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0);
    const blocks = new Uint8Array(262_100).map((_, index) => (index % 4 === 3 ? 0x80 : 0));
    const packed = joinBytes(start, blocks, Uint8Array.of(4, 0, 0, 0x80), Buffer.from('snow'), new Uint8Array(4));
    return joinBytes(chunkHeader({ scheme: 'lz4', packedBytes: packed.length, rawBytes: 4 }), packed);
  }

  function invalidBecause(why: string): unknown {
    return { code: 'invalid-request', message: expect.stringContaining(why) as string };
  }
});

test('an error of the source passes through', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield encodeXorb(small).subarray(0, 5);
    throw new Error('the connection broke');
  }
  await expect(readXorb(broken(), hasher)).rejects.toThrow('the connection broke');
});
