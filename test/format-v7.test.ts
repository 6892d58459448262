import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirnError } from '../src/checkpoint/firn-error.ts';
import { loadCore } from '../src/native/load-core.ts';
import { bucketModes } from '../src/package/codings/bucket-coding.ts';
import { changeBytes } from './change-bytes.ts';
import { bytesOf, chainOf, digestsOf } from './decode-chain.ts';
import { storeBucketFixtureRun } from './fixtures/format-v7-run.ts';
import { openChain, payloadsOf, withPayload } from './reseal-package.ts';

const core = loadCore();
const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`./fixtures/format-v7/${name}`, import.meta.url)));
const expected = JSON.parse(Buffer.from(read('expected.json')).toString()) as {
  packageId: string;
  digests: Record<string, string>;
}[];
const stored = [0, 1, 2, 3].map((step) => read(`buckets-${step}.firn`));
/** By checkpoint: what it is decoded with, newest first. */
const chains = stored.map((_, step) => stored.slice(0, step + 1).reverse());
const path = 'model.safetensors';

describe('packages of format version 7', () => {
  it.each([0, 1, 2, 3])('decode to the recorded digests: checkpoint %i', async (step) => {
    expect(await digestsOf(await chainOf(core, chains[step]!))).toEqual(expected[step]!.digests);
    expect(await digestsOf(await chainOf(core, chains[step]!, 2 ** 26))).toEqual(expected[step]!.digests);
  });

  it('hold buckets of every dtype: a whole checkpoint, then deltas', async () => {
    const kinds = new Set<string>();
    for (const [step, [newest, ...older]] of chains.entries()) {
      expect(newest![4]).toBe(7);
      const opened = await openChain(core, [...older.reverse(), newest!]);
      for (const { content } of opened.at(-1)!.index.files) {
        if (content.type !== 'safetensors') continue;
        for (const [tensor, { kind }] of content.codings.entries())
          kinds.add(`${kind} ${content.layout.tensors[tensor]!.dtype}`);
      }
      const modes = payloadsOf(opened.at(-1)!.index).map(({ offsetBytes }) => newest![offsetBytes]!);
      expect(modes).toContain(step > 0 ? bucketModes.delta : bucketModes.whole);
    }
    // Tensors with numbers that are not finite are exact.
    expect([...kinds].sort()).toEqual([
      ...['buckets BF16', 'buckets F16', 'buckets F32'],
      ...['exact BF16', 'exact F16', 'exact F32', 'exact I32'],
    ]);
  });

  it('give any range of a file', async () => {
    const chain = await chainOf(core, chains[2]!, 2 ** 22);
    const whole = await bytesOf(chain, path);
    for (const [start, end] of [
      [0, 5],
      [1000, 1001],
      [262_100, 262_703],
      [whole.length - 9, whole.length],
    ] as const)
      expect((await bytesOf(chain, path, start, end)).equals(whole.subarray(start, end))).toBe(true);
  });

  it('are written still to the same digests', async () => {
    expect((await storeBucketFixtureRun()).map(({ digests }) => digests)).toEqual(
      expected.map(({ digests }) => digests),
    );
  }, 60_000);

  it('with a payload changed and its checksum put right are damaged, or give other files', async () => {
    const opened = await openChain(core, [stored[0]!, stored[1]!]);
    const blockCount = payloadsOf(opened[1]!.index).length;
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: blockCount - 1 }), changeBytes, async (block, edit) => {
        try {
          await digestsOf(
            await chainOf(core, [withPayload(core, opened[1]!, block, (payload) => edit(payload)), stored[0]!]),
          );
        } catch (error) {
          if (!(error instanceof FirnError)) throw error;
          expect(['corrupt-package', 'unsupported-format']).toContain(error.code);
        }
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});
