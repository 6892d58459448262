import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../checkpoint/firn-error.ts';
import { loadCore } from './load-core.ts';

const core = loadCore();
const bytesOf = (values: readonly number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);
const valuesOf = (bytes: Uint8Array): number[] => [...new Float32Array(bytes.slice().buffer)];

describe('buckets by sign and exponent', () => {
  test('rebuild the middle of a kept bucket, and leave what is in no kept one as it was', async () => {
    const previous = bytesOf([1, 1, 1, 1, 1]);
    // Exponents 2 (both of one bucket), 1 of the other sign, and 0; one bit keeps one bucket.
    const current = bytesOf([5, 7, -1, 2, 1]);
    const rebuilt = async (bits: number) => {
      const payload = await core.bucketEncode({ current, previous, dtype: 'F32', bits });
      return valuesOf(await core.bucketDecode(payload, { previous, dtype: 'F32' }));
    };
    expect(await rebuilt(1)).toEqual([6, 6, 1, 1, 1]);
    expect(await rebuilt(2)).toEqual([6, 6, -1, 2, 1]);
  });

  test('come within half an octave of any change, with room for all buckets', async () => {
    const moves = fc.array(
      fc.tuple(fc.float({ noNaN: true, min: -8, max: 8 }), fc.float({ noNaN: true, min: -8, max: 8 })),
      { maxLength: 300 },
    );
    await fc.assert(
      fc.asyncProperty(moves, async (pairs) => {
        const previous = bytesOf(pairs.map(([before]) => before));
        const payload = await core.bucketEncode({
          current: bytesOf(pairs.map(([, now]) => now)),
          previous,
          dtype: 'F32',
          bits: 8,
        });
        const rebuilt = valuesOf(await core.bucketDecode(payload, { previous, dtype: 'F32' }));
        pairs.forEach(([before, now], i) => {
          expect(Math.abs(rebuilt[i]! - now)).toBeLessThanOrEqual(Math.abs(now - before) / 2 + 1e-5);
        });
      }),
      { numRuns: 100 },
    );
  });

  test('bytes that no encoder writes are refused or decoded, never more', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('F32', 'F16', 'BF16'),
        async (payload, dtype) => {
          const previous = new Uint8Array(400);
          const outcome = await core.bucketDecode(payload, { previous, dtype }).catch((error: unknown) => error);
          if (outcome instanceof Uint8Array) expect(outcome.length).toBe(previous.length);
          else expect(outcome).toMatchObject({ code: 'corrupt-package' } satisfies Partial<FirnError>);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('refuse a payload with a byte changed in its head, cut, or with a byte behind it', async () => {
    const previous = bytesOf([1, 1, 1]);
    const payload = await core.bucketEncode({ current: bytesOf([2, 5, 1]), previous, dtype: 'F32', bits: 2 });
    const decode = (bytes: Uint8Array) => core.bucketDecode(bytes, { previous, dtype: 'F32' });
    const refused = { code: 'corrupt-package' };
    await expect(decode(payload.subarray(0, -1))).rejects.toMatchObject(refused);
    await expect(decode(Uint8Array.of(...payload, 0))).rejects.toMatchObject(refused);
    await expect(decode(payload.with(4, 0x7f).with(3, 0x80))).rejects.toMatchObject(refused);
    await expect(decode(new Uint8Array())).rejects.toMatchObject(refused);
  });
});
