import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { FirnError } from '../checkpoint/firn-error.ts';
import { loadCore } from './load-core.ts';
import { randomWeights } from './reference.test-support.ts';

const core = loadCore({ threads: 1 });
const modulus = 16;
const current = randomWeights(3000, 'F16', 1).map((byte) => byte % modulus);
const previous = current.map((level, i) => (i % 7 === 0 ? (level + 3) % modulus : level));
const counts = core.createTokenCounts();
await counts.add({ previous, current, modulus });
const tables = counts.build();
const stored = tables.serialize();
const payload = await tables.encode({ previous, current, modulus });
const request = { previous, elementCount: current.length, modulus };
const exactBytes = randomWeights(3000, 'F32', 2);
const exactPrevious = exactBytes.map((byte, i) => (i % 11 === 0 ? byte ^ 1 : byte));
const exact = await core.exactEncode({ current: exactBytes, kind: 'f32' });

/** `bytes` with some of them replaced, cut short or extended. */
function damaged(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  const index = fc.nat({ max: bytes.length - 1 });
  return fc.oneof(
    fc.array(fc.tuple(index, fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 4 }).map((edits) => {
      const copy = bytes.slice();
      for (const [at, difference] of edits) copy[at]! ^= difference;
      return copy;
    }),
    index.map((length) => bytes.slice(0, length)),
    fc.uint8Array({ minLength: 1, maxLength: 40 }).map((tail) => Uint8Array.from([...bytes, ...tail])),
    fc.uint8Array({ maxLength: 200 }),
  );
}

/** The result, or null if the call failed with the error for damaged bytes. */
async function resultOf<T>(call: () => T | Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    expect(error).toBeInstanceOf(FirnError);
    expect(['corrupt-package', 'unsupported-format']).toContain((error as FirnError).code);
    return null;
  }
}

describe('damaged bytes', () => {
  it('of token tables are refused or mean other tables', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(stored), async (bytes) => {
        const parsed = await resultOf(() => core.parseTokenTables(bytes));
        if (parsed !== null) expect(parsed.serialize()).toEqual(bytes);
        const decoded = parsed && (await resultOf(() => parsed.decode(payload, request)));
        if (decoded) expect(decoded.every((level) => level < modulus)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('of a level block never give levels that do not exist', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(payload), async (bytes) => {
        const decoded = await resultOf(() => tables.decode(bytes, request));
        if (decoded !== null) expect(decoded.every((level) => level < modulus)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('of a level block cut short or with bytes behind it are refused', async () => {
    for (const bytes of [
      payload.subarray(1),
      payload.subarray(0, -1),
      Uint8Array.from([...payload, 0]),
      new Uint8Array(),
    ]) {
      await expect(tables.decode(bytes, request)).rejects.toMatchObject({ code: 'corrupt-package' });
    }
  });

  it('of an exact block are refused or mean other bytes of the declared length', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(exact), async (bytes) => {
        const decoded = await resultOf(() =>
          core.exactDecode(bytes, { previous: exactPrevious, kind: 'f32', elementCount: 3000 }),
        );
        if (decoded !== null) expect(decoded).toHaveLength(12_000);
        if (bytes.length > 0) core.exactIsStandaloneSync(bytes);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['alone', undefined],
    ['against another', exactPrevious],
  ])(
    'of an exact block coded %s are refused when nothing or the mode alone is left, or bytes follow',
    async (_, previous) => {
      const request = { ...(previous && { previous }), kind: 'f32', elementCount: 3000 } as const;
      const whole = await core.exactEncode({ ...(previous && { previous }), current: exactBytes, kind: 'f32' });
      for (const bytes of [new Uint8Array(), whole.subarray(0, 1), Uint8Array.from([...whole, 0])]) {
        await expect(core.exactDecode(bytes, request)).rejects.toMatchObject({ code: 'corrupt-package' });
      }
    },
  );
});
