import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { s3Limits } from './s3-limits.ts';
import { groupRanges } from './s3-object-bytes.ts';

const { fetchBytesMax, fetchGapBytesMax } = s3Limits;

describe('ranges asked for together', () => {
  const range = fc
    .tuple(fc.nat(40_000_000), fc.nat(2_000_000))
    .map(([startBytes, lengthBytes]) => ({ startBytes, endBytes: startBytes + lengthBytes }));

  it('are each in one request, and no request is long for more than one of them or fetches a wide gap', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 40 }), (ranges) => {
        const groups = groupRanges(ranges);
        expect(groups.flat()).toHaveLength(ranges.length);
        expect(new Set(groups.flat())).toEqual(new Set(ranges));
        for (const group of groups) {
          let end = group[0]!.endBytes;
          for (const one of group) {
            expect(one.startBytes - end).toBeLessThanOrEqual(fetchGapBytesMax);
            end = Math.max(end, one.endBytes);
          }
          if (group.length > 1) expect(end - group[0]!.startBytes).toBeLessThanOrEqual(fetchBytesMax);
        }
      }),
    );
  });

  it('are one request when they are neighbours, in any order', () => {
    const neighbours = [2, 0, 3, 1].map((i) => ({ startBytes: i * 1000, endBytes: (i + 1) * 1000 }));
    expect(groupRanges(neighbours)).toHaveLength(1);
    expect(
      groupRanges([...neighbours, { startBytes: 4000 + fetchGapBytesMax + 1, endBytes: 5000 + fetchGapBytesMax }]),
    ).toHaveLength(2);
    expect(groupRanges([])).toEqual([]);
  });
});
