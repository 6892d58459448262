import { describe, expect, it } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { LastReads } from './last-reads.ts';
import { chunkBytes, type ObjectReader } from '../object-store.ts';
import { withSmallReads } from './small-reads.ts';

/** An object of `sizeBytes` bytes that records its reads. */
function setup(sizeBytes: number, chunks = new LastReads(2), key = 'k') {
  const whole = Uint8Array.from({ length: sizeBytes }, (_, i) => (i * 31 + (i >> 8) + key.length) & 255);
  const reads: string[] = [];
  let failure: Error | undefined;
  const reader: ObjectReader = {
    sizeBytes,
    async read(offset, length) {
      reads.push(`${offset}+${length}`);
      if (failure !== undefined) throw failure;
      if (offset + length > sizeBytes) throw new FirnError('invalid-request', 'Beyond the end.');
      return whole.subarray(offset, offset + length);
    },
    async *stream(start = 0, end = sizeBytes) {
      yield whole.subarray(start, end);
    },
    close: async () => undefined,
  };
  const fail = (error?: Error) => void (failure = error);
  return { whole, reads, fail, small: withSmallReads(reader, key, chunks) };
}

describe('small reads', () => {
  it.each([
    [0, 1],
    [5, 4096],
    [chunkBytes - 1, 2],
    [chunkBytes - 100, 200],
    [chunkBytes, 1],
    [3 * chunkBytes + 16, 1],
    [9, 0],
    [7, 2 * chunkBytes],
    [0, 3 * chunkBytes + 17],
  ])('gives the bytes from %i on, %i of them', async (offset, length) => {
    const { whole, small } = setup(3 * chunkBytes + 17);
    expect(Buffer.compare(await small.read(offset, length), whole.subarray(offset, offset + length))).toBe(0);
  });

  it('reads a chunk once for neighbours, however many ask at once, and a large range as it is', async () => {
    const { small, reads } = setup(2 * chunkBytes);
    await Promise.all(Array.from({ length: 50 }, (_, i) => small.read(100 * i, 100)));
    expect(reads).toEqual([`0+${chunkBytes}`]);
    await small.read(10, chunkBytes);
    expect(reads.at(-1)).toBe(`10+${chunkBytes}`);
  });

  it('shares what is kept between objects, and forgets what was asked for longest ago', async () => {
    const chunks = new LastReads(2);
    const [one, other] = [setup(chunkBytes, chunks, 'a'), setup(3 * chunkBytes, chunks, 'bb')];
    expect((await one.small.read(3, 2))[0]).toBe(one.whole[3]);
    expect((await other.small.read(3, 2))[0]).toBe(other.whole[3]);
    await one.small.read(50, 1);
    await other.small.read(chunkBytes + 5, 1);
    await one.small.read(60, 1);
    expect(one.reads).toHaveLength(1);
    await other.small.read(0, 1);
    expect(other.reads).toHaveLength(3);
  });

  it('keeps no failure, and nothing that the reader of one range writes to', async () => {
    const { small, fail, whole } = setup(chunkBytes);
    fail(new FirnError('unavailable', 'Away.'));
    await expect(small.read(0, 5)).rejects.toMatchObject({ code: 'unavailable' });
    fail();
    (await small.read(0, 5)).fill(0);
    expect([...(await small.read(0, 5))]).toEqual([...whole.subarray(0, 5)]);
  });

  it('refuses what lies beyond the end, and stops for a signal', async () => {
    const { small } = setup(100);
    await expect(small.read(90, 11)).rejects.toMatchObject({ code: 'invalid-request' });
    await expect(small.read(0, 5, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
  });
});
