import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { FirnError } from '../checkpoint/firn-error.ts';
import { bitmaskMode, blockElementsMax } from './core.ts';
import { loadCore } from './load-core.ts';

const core = loadCore({ threads: 1 });
const words = fc.uint16Array({ maxLength: 400 });
const dtypes = fc.constantFrom('F16', 'BF16' as const);
const bytesOf = (values: Uint16Array): Uint8Array => new Uint8Array(Uint16Array.from(values).buffer);

describe('a block of 16-bit weights', () => {
  it('comes back bit by bit, NaN included, in at most its bytes and one', async () => {
    await fc.assert(
      fc.asyncProperty(words, fc.array(fc.nat()), dtypes, fc.boolean(), async (values, places, dtype, alone) => {
        const changed = Uint16Array.from(values);
        for (const place of places) if (changed.length > 0) changed[place % changed.length]! ^= 1 + (place & 0xff);
        const [current, previous] = [bytesOf(changed), alone ? undefined : bytesOf(values)];
        const payload = await core.bitmaskEncode({ current, previous, dtype });
        expect(payload.length).toBeLessThanOrEqual(1 + current.length);
        expect(await core.bitmaskDecode(payload, { previous, dtype, elementCount: changed.length })).toEqual(current);
        if (previous === undefined) expect(payload[0]).not.toBe(bitmaskMode);
        else
          expect(await core.bitmaskChanged(current, previous)).toBe(
            changed.filter((word, i) => word !== values[i]).length,
          );
      }),
      { numRuns: 300 },
    );
  });

  it('is refused if its payload is invalid, or has another length than declared', async () => {
    const previous = bytesOf(Uint16Array.from({ length: 100 }, (_, i) => 0x3f80 + i));
    const payload = await core.bitmaskEncode({
      current: previous.map((byte, i) => (i % 20 === 0 ? byte ^ 1 : byte)),
      previous,
      dtype: 'BF16',
    });
    expect(payload[0]).toBe(bitmaskMode);
    const hostile = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }).map((tail) => Uint8Array.of(bitmaskMode, ...tail)),
      fc
        .tuple(fc.nat({ max: payload.length - 1 }), fc.integer({ min: 1, max: 255 }))
        .map(([at, by]) => payload.map((byte, i) => (i === at ? byte ^ by : byte))),
    );
    await fc.assert(
      fc.asyncProperty(hostile, async (bytes) => {
        try {
          expect(await core.bitmaskDecode(bytes, { previous, dtype: 'BF16', elementCount: 100 })).toHaveLength(200);
        } catch (error) {
          expect(error).toBeInstanceOf(FirnError);
          expect(['corrupt-package', 'unsupported-format']).toContain((error as FirnError).code);
        }
      }),
      { numRuns: 500 },
    );
    for (const bytes of [new Uint8Array(), payload.subarray(0, -1), Uint8Array.of(...payload, 0)])
      await expect(core.bitmaskDecode(bytes, { previous, dtype: 'BF16', elementCount: 100 })).rejects.toMatchObject({
        code: 'corrupt-package',
      });
  });

  it('requires whole 16-bit weights, at most a block, and as many previous ones', async () => {
    const current = new Uint8Array(10);
    for (const call of [
      () => core.bitmaskEncode({ current: new Uint8Array(9), dtype: 'F16' }),
      () => core.bitmaskEncode({ current, previous: new Uint8Array(8), dtype: 'F16' }),
      () => core.bitmaskEncode({ current, dtype: 'F32' as 'F16' }),
      () => core.bitmaskEncode({ current: new Uint8Array(2 * blockElementsMax + 2), dtype: 'F16' }),
      () => core.bitmaskDecode(current, { dtype: 'F16', elementCount: blockElementsMax + 1 }),
      () => core.bitmaskDecode(current, { previous: current, dtype: 'F16', elementCount: 4 }),
      () => core.bitmaskChanged(current, new Uint8Array(8)),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'native-failure' });
  });
});
