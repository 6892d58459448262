import { describe, expect, test } from 'vitest';
import type { NativeCore } from '../../../native/core.ts';
import type { BlockWalk, WalkStep } from './block-decoder.ts';
import { bytesOf, decodeAlong, type StepDecoder } from './decode-along.ts';
import type { DecodedBlock } from './decoded-block.ts';

/** A payload of two bytes: whether it needs the previous block, and its addend to the sum. */
const sums: StepDecoder = {
  goesOn: (payload) => payload[0] === 1,
  decode: async (payload, _, previous) => ({
    kind: 'exact',
    bytes: Uint8Array.of((bytesOf(previous)?.[0] ?? 0) + payload[1]!),
  }),
};

function walkOver(payloads: readonly (readonly [number, number])[], found?: DecodedBlock) {
  const read: number[] = [];
  const steps = payloads.map((payload, step) => {
    const coding = { kind: 'exact', elementKind: 'bytes' } as const;
    const planned = { coding, segments: [], elementCount: 1 };
    const bytes = async (): Promise<Uint8Array> => {
      read.push(step);
      return Uint8Array.from(payload);
    };
    return { step, planned, payload: bytes } as unknown as WalkStep;
  });
  return { read, walk: { core: {} as NativeCore, steps, found, newest: steps[0] } as unknown as BlockWalk };
}

const known: DecodedBlock = { kind: 'exact', bytes: Uint8Array.of(100) };

describe('decodeAlong', () => {
  test.each<
    readonly [string, readonly (readonly [number, number])[], DecodedBlock | undefined, number, readonly number[]]
  >([
    ['a block that stands alone', [[0, 5]], undefined, 5, [0]],
    [
      'a way back to one that does, and no farther',
      [
        [1, 1],
        [1, 2],
        [0, 3],
        [1, 50],
      ],
      undefined,
      6,
      [0, 1, 2],
    ],
    [
      'a way back to a block that is known',
      [
        [1, 1],
        [1, 2],
      ],
      known,
      103,
      [0, 1],
    ],
    [
      'a block that stands alone in front of a known one',
      [
        [0, 7],
        [1, 2],
      ],
      known,
      7,
      [0],
    ],
    ['a block that is known itself', [], known, 100, []],
  ])('decodes %s', async (_, payloads, found, sum, asked) => {
    const { walk, read } = walkOver(payloads, found);
    expect(bytesOf(await decodeAlong(walk, sums, undefined))).toEqual(Uint8Array.of(sum));
    expect(read).toEqual(asked);
  });

  test('asks for what stands in for a previous block that is not there', async () => {
    const { walk } = walkOver([
      [1, 1],
      [1, 2],
    ]);
    const decoded = await decodeAlong(walk, { ...sums, withoutPrevious: async () => known }, undefined);
    expect(bytesOf(decoded)).toEqual(Uint8Array.of(103));
  });

  test('refuses a payload that goes on from nothing, and a previous block of another kind', async () => {
    const refusal = (text: string) =>
      expect.objectContaining({ code: 'corrupt-package', detail: expect.stringContaining(text) });
    await expect(decodeAlong(walkOver([[1, 1]]).walk, sums, undefined)).rejects.toEqual(
      refusal('an ancestor block that is not there'),
    );
    const levels: DecodedBlock = {
      kind: 'levels',
      levels: { levels: new Uint8Array(1), protectedWords: new Uint16Array(0) },
    };
    await expect(decodeAlong(walkOver([[1, 1]], levels).walk, sums, undefined)).rejects.toEqual(
      refusal('changed its kind'),
    );
  });
});
