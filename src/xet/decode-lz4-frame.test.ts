import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../checkpoint/firn-error.ts';
import { decodeLz4Frame } from './decode-lz4-frame.ts';
import { encodeLz4Frame, joinBytes } from './encode-xorb.test-support.ts';

/** Bytes with runs, repeats near and far, and noise. */
const data = fc
  .array(
    fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      fc.tuple(fc.nat(255), fc.integer({ min: 1, max: 3000 })).map(([byte, count]) => new Uint8Array(count).fill(byte)),
      fc
        .tuple(fc.uint8Array({ minLength: 1, maxLength: 100 }), fc.integer({ min: 2, max: 40 }))
        .map(([part, count]) => joinBytes(...Array.from({ length: count }, () => part))),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => joinBytes(...parts));

const options = fc.record({
  blockBytes: fc.constantFrom(100, 4096, 1 << 16, 1 << 18, 1 << 20),
  linked: fc.boolean(),
  blockChecksums: fc.boolean(),
  contentSize: fc.boolean(),
  contentChecksum: fc.boolean(),
});

/** 4 bytes of magic, flags, block size, header checksum; then blocks. */
function frame(of: { flags?: number; block?: number; blocks: number[] }): Uint8Array {
  const head = Uint8Array.of(0x04, 0x22, 0x4d, 0x18, of.flags ?? 0x60, of.block ?? 0x40, 0);
  return joinBytes(head, Uint8Array.from(of.blocks));
}

function refusal(bytes: Uint8Array, rawBytes: number): string {
  try {
    decodeLz4Frame(bytes, rawBytes);
  } catch (error) {
    if (error instanceof FirnError && error.code === 'invalid-request') return error.message;
    throw error;
  }
  return 'decoded';
}

test('a frame of any options is decoded to the bytes it was made from', () => {
  fc.assert(
    fc.property(data, options, (raw, how) => {
      expect(Buffer.from(decodeLz4Frame(encodeLz4Frame(raw, how), raw.length)).equals(raw)).toBe(true);
    }),
  );
});

test('a frame is refused unless it holds exactly the declared bytes', () => {
  fc.assert(
    fc.property(data, options, fc.integer({ min: 1, max: 500 }), (raw, how, off) => {
      const bytes = encodeLz4Frame(raw, how);
      expect(refusal(bytes, raw.length + off)).toMatch('holds fewer bytes than declared');
      if (raw.length > off) expect(refusal(bytes, raw.length - off)).toMatch('holds more than it declares');
    }),
  );
});

test('a frame cut at any byte, or with a byte after it, is refused', () => {
  const raw = Buffer.from('snow snow snow snow snow snow snow and ice and ice and ice and ice and firn');
  for (const how of [{}, { blockBytes: 40, linked: true }, { contentChecksum: true, blockChecksums: true }]) {
    const bytes = encodeLz4Frame(raw, how);
    for (let end = 0; end < bytes.length; end++)
      expect(refusal(bytes.subarray(0, end), raw.length)).not.toBe('decoded');
    expect(refusal(joinBytes(bytes, Uint8Array.of(0)), raw.length)).toMatch('does not end with its last block');
  }
});

test('a frame with changed bits is decoded to the declared size or refused', () => {
  const bit = fc.nat();
  fc.assert(
    fc.property(data, options, fc.array(bit, { minLength: 1, maxLength: 6 }), (raw, how, bits) => {
      const bytes = encodeLz4Frame(raw, how);
      for (const one of bits) bytes[(one >> 3) % bytes.length]! ^= 1 << (one & 7);
      refusal(bytes, raw.length);
    }),
    { numRuns: 1000 },
  );
});

test('bytes of any kind after the header of a frame are decoded to the declared size or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 131072 }), (bytes, rawBytes) => {
      refusal(frame({ blocks: [bytes.length, 0, 0, 0, ...bytes, 0, 0, 0, 0] }), rawBytes);
    }),
    { numRuns: 1000 },
  );
});

describe('a frame is refused', () => {
  const longest = new Array<number>(200_000).fill(255);
  const size = (bytes: number) => [bytes & 255, (bytes >> 8) & 255, bytes >> 16, 0];
  test.each([
    ['with a dictionary', frame({ flags: 0x61, blocks: [0, 0, 0, 0] }), 'flags that are not supported'],
    ['with the reserved flag', frame({ flags: 0x62, blocks: [0, 0, 0, 0] }), 'flags that are not supported'],
    ['of another version', frame({ flags: 0xa0, blocks: [0, 0, 0, 0] }), 'flags that are not supported'],
    ['with blocks of unknown size', frame({ block: 0x30, blocks: [0, 0, 0, 0] }), 'unknown block size'],
    ['if a match begins before the data', frame({ blocks: [...size(4), 0x10, 7, 2, 0] }), 'begins before its data'],
    ['if a match has the distance 0', frame({ blocks: [...size(4), 0x10, 7, 0, 0] }), 'begins before its data'],
    ['if a length has no end', frame({ blocks: [...size(200_001), 0xf0, ...longest] }), 'ends inside a length'],
    ['if literals are not there', frame({ blocks: [...size(2), 0x50, 7] }), 'ends inside literals'],
    ['if a match has no distance', frame({ blocks: [...size(3), 0x10, 7, 1] }), 'ends inside a match'],
    ['if a match is longer than all', frame({ blocks: [...size(6), 0x1f, 7, 1, 0, 255, 255] }), 'ends inside a length'],
    ['if a block is empty', frame({ blocks: [...size(0), 0] }), 'does not end with its last block'],
    ['if it is another format', Buffer.from('not an LZ4 frame at all'), 'does not begin as an LZ4 frame'],
  ])('%s', (_, bytes, why) => expect(refusal(bytes, 131072)).toMatch(why));

  test('if a block is longer than the frame says blocks are', () => {
    const raw = new Uint8Array(70_000);
    const bytes = encodeLz4Frame(raw, { blockBytes: 1 << 18 });
    bytes[5] = 0x40;
    expect(refusal(bytes, raw.length)).toMatch('holds more than it declares');
  });

  test('if a match of an independent block reaches into the block before', () => {
    const raw = Buffer.from('the same words and then the same words and then the same words and then the end of it');
    const bytes = encodeLz4Frame(raw, { blockBytes: 30, linked: true });
    expect(refusal(bytes, raw.length)).toBe('decoded');
    bytes[4]! |= 0x20;
    expect(refusal(bytes, raw.length)).toMatch('begins before its data');
  });
});
