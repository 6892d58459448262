import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentSize, FrameTable, FrameWriter, storedSize, tailBytes } from './object-frame.ts';
import { chunkBytes } from '../object-store.ts';
import { patternBytes, referenceCrc32c } from '../object-store.reference.ts';

describe('stored sizes', () => {
  const size = fc.oneof(
    fc.nat(4 * chunkBytes),
    fc.integer({ min: 0, max: 2 ** 45 }),
    fc
      .tuple(fc.nat(2 ** 24), fc.integer({ min: -3, max: 3 }))
      .map(([chunks, by]) => Math.max(0, chunks * chunkBytes + by)),
  );

  it('invert', () => {
    fc.assert(
      fc.property(size, (content) => {
        expect(contentSize(storedSize(content))).toBe(content);
      }),
      { numRuns: 2000 },
    );
  });

  it('leave out those no object has', () => {
    fc.assert(
      fc.property(size, (stored) => {
        const content = contentSize(stored);
        if (content !== undefined) expect(storedSize(content)).toBe(stored);
      }),
      { numRuns: 2000 },
    );
    expect(contentSize(31)).toBeUndefined();
    expect(contentSize(32)).toBe(0);
    // One byte of content adds a checksum of four bytes, so no object has 33 to 36 bytes.
    expect([33, 34, 35, 36, 37].map(contentSize)).toEqual([undefined, undefined, undefined, undefined, 1]);
  });
});

describe('the frame', () => {
  it('is the same whatever the pieces, and bytes as specified', () => {
    const content = patternBytes(chunkBytes + 10);
    const whole = new FrameWriter(referenceCrc32c);
    whole.add(content);
    const tail = Buffer.from(whole.finish());
    const pieces = new FrameWriter(referenceCrc32c);
    for (let at = 0; at < content.length; at += 7001) pieces.add(content.subarray(at, at + 7001));
    expect(tail.equals(pieces.finish())).toBe(true);
    expect(tail.length).toBe(tailBytes(content.length));
    expect(tail.readUInt32LE(0)).toBe(referenceCrc32c(content.subarray(0, chunkBytes)));
    expect(tail.readUInt32LE(4)).toBe(referenceCrc32c(content.subarray(chunkBytes)));
    expect(tail.subarray(8, 16).toString('latin1')).toBe('FIRNOBJ\x01');
    expect(tail.readBigUInt64LE(16)).toBe(BigInt(content.length));
    expect(tail.readUInt32LE(24)).toBe(chunkBytes);
  });

  it('of version 1 stays readable', () => {
    const fixture = Buffer.from(
      '6669726e3a206f6c6420736e6f77' +
        'a8c82a98' +
        '4649524e4f424a01' +
        '0e00000000000000' +
        '00000400' +
        '46881e92' +
        '00000000' +
        'ffd455c3',
      'hex',
    );
    const size = contentSize(fixture.length)!;
    const table = new FrameTable(fixture.subarray(size), size, referenceCrc32c);
    table.verify(0, fixture.subarray(0, size));
    expect(fixture.subarray(0, size).toString()).toBe('firn: old snow');
  });

  it('of a later version is unsupported-format, not damage', () => {
    const tail = Buffer.from(new FrameWriter(referenceCrc32c).finish());
    tail[7] = 2;
    tail.writeUInt32LE(referenceCrc32c(tail.subarray(0, 28)), 28);
    expect(() => new FrameTable(tail, 0, referenceCrc32c)).toThrow(
      expect.objectContaining({ code: 'unsupported-format' }),
    );
  });

  it('has the reference sum of RFC 3720', () => {
    expect(referenceCrc32c(Buffer.from('123456789'))).toBe(0xe3069283);
    expect(referenceCrc32c(Buffer.from('6789'), referenceCrc32c(Buffer.from('12345')))).toBe(0xe3069283);
  });
});
