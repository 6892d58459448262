import fc from 'fast-check';

/** Changes, removes or inserts some bytes. */
export const changeBytes: fc.Arbitrary<(bytes: Uint8Array) => Uint8Array> = fc
  .array(
    fc.record({
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      flip: fc.integer({ min: 1, max: 255 }),
      kind: fc.nat({ max: 5 }),
    }),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((edits) => (bytes) => {
    const copy = [...bytes];
    for (const { at, flip, kind } of edits) {
      const index = Math.floor(at * copy.length);
      if (kind === 0) copy.splice(index, 1);
      else if (kind === 1) copy.splice(index, 0, flip);
      else copy[index] = (copy[index] ?? 0) ^ flip;
    }
    return Uint8Array.from(copy);
  });
