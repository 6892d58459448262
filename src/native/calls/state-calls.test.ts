import { describe, expect, it } from 'vitest';

import { stateEncodings } from '../../checkpoint/options/state-encoding.ts';
import type { StatePlace, StateSegment } from '../core.ts';
import { loadCore } from '../load-core.ts';
import { randomWeights, valuesOf } from '../reference.test-support.ts';

const core = loadCore({ threads: 2 });
const segments: readonly StateSegment[] = [
  { elementCount: 2990, columns: 100, column: 10 },
  { elementCount: 37, columns: 0, column: 0 },
];
const count = 3027;
const bytesOf = (values: readonly number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);
const seconds = (seed: number): number[] =>
  valuesOf(randomWeights(count, 'F32', seed), 'F32').map((x, i) => 1e-9 * 2 ** ((i % 100) / 10 + 20 * x));
const second = bytesOf(seconds(1));
const first = bytesOf(
  valuesOf(randomWeights(count, 'F32', 2), 'F32').map((x, i) => 10 * x * Math.sqrt(seconds(1)[i]!)),
);

async function rebuilt(values: Uint8Array, place: StatePlace): Promise<Uint8Array> {
  return core.stateDecode(await core.stateEncode(values, place), place);
}

describe('optimizer state', () => {
  it('of second moments comes back within half an octave, whatever the checkpoint before is', async () => {
    const before = bytesOf(seconds(1).map((v, i) => v * (i % 3 === 0 ? 1.5 : 1)));
    const place = { encoding: 'secondMoment', segments } as const;
    const alone = await rebuilt(second, place);
    const payload = await core.stateEncode(second, { ...place, reference: before });
    expect(core.stateNeedsPreviousSync(payload)).toBe(true);
    expect(Buffer.from(await core.stateDecode(payload, { ...place, reference: before })).equals(alone)).toBe(true);
    await expect(core.stateDecode(payload, place)).rejects.toMatchObject({ code: 'native-failure' });
    for (const [i, v] of valuesOf(alone, 'F32').entries())
      expect(Math.abs(Math.log2(v / seconds(1)[i]!))).toBeLessThan(0.6);
  });

  it('of first moments changes no element of the next update by more than a tenth of the learning rate', async () => {
    const reference = await rebuilt(second, { encoding: 'secondMoment', segments });
    const [roots, wanted] = [valuesOf(reference, 'F32').map(Math.sqrt), valuesOf(first, 'F32')];
    const found = valuesOf(await rebuilt(first, { encoding: 'firstMoment', segments, reference }), 'F32');
    for (const [i, m] of found.entries()) expect(Math.abs(m - wanted[i]!) / (roots[i]! + 1e-8)).toBeLessThan(0.1001);
  });

  it.each(stateEncodings)(
    'of encoding %s takes at most twelve bits an element and a little, and the same bytes each time',
    async (encoding) => {
      const place = { encoding, segments, ...(encoding === 'firstMoment' && { reference: second }) };
      const payload = await core.stateEncode(encoding === 'secondMoment' ? second : first, place);
      expect(payload.length).toBeLessThan(1.5 * count + 260);
      expect(await core.stateEncode(encoding === 'secondMoment' ? second : first, place)).toEqual(payload);
    },
  );

  it.each([
    [
      'elements of a block: 131073',
      {
        segments: [
          { elementCount: 131072, columns: 0, column: 0 },
          { elementCount: 1, columns: 0, column: 0 },
        ],
      },
    ],
    ['column: 4', { segments: [{ elementCount: 4, columns: 4, column: 4 }] }],
    ['values: 12108 bytes', { segments: [{ elementCount: 4, columns: 0, column: 0 }] }],
    ['reference: 4 bytes', { reference: new Uint8Array(4) }],
    ['first moments need', { encoding: 'firstMoment' }],
    ['has no reference', { encoding: 'momentum', reference: second }],
    ['encoding: levels', { encoding: 'levels' }],
  ])('refuses %s', async (message, change) => {
    const place = { encoding: 'secondMoment', segments, ...change } as StatePlace;
    await expect(core.stateEncode(second, place)).rejects.toMatchObject({
      detail: expect.stringContaining(message) as string,
    });
  });

  it('of damaged payloads is refused or means other numbers', async () => {
    for (const encoding of stateEncodings) {
      const place: StatePlace = { encoding, segments, ...(encoding === 'firstMoment' && { reference: second }) };
      const payload = await core.stateEncode(
        first.map((byte, i) => (i % 4 === 3 ? byte & 0x7f : byte)),
        place,
      );
      await expect(core.stateDecode(payload.subarray(0, payload.length - 1), place)).rejects.toMatchObject({
        code: 'corrupt-package',
      });
      await expect(core.stateDecode(new Uint8Array([3]), place)).rejects.toMatchObject({ code: 'unsupported-format' });
      await expect(core.stateDecode(new Uint8Array(), place)).rejects.toMatchObject({ code: 'corrupt-package' });
    }
  });
});
