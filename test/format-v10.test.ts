import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirnError } from '../src/checkpoint/firn-error.ts';
import { loadCore } from '../src/native/load-core.ts';
import { changeBytes } from './change-bytes.ts';
import { bytesOf, chainOf, digestsOf } from './decode-chain.ts';
import { storeNamesakesFixtureRuns } from './fixtures/format-v10-run.ts';
import { openChain, payloadsOf, withPayload } from './reseal-package.ts';

const core = loadCore();
const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`./fixtures/format-v10/${name}`, import.meta.url)));
const expected = JSON.parse(Buffer.from(read('expected.json')).toString()) as Record<
  string,
  { packageId: string; digests: Record<string, string> }
>;
const steps = [0, 1, 2] as const;
const runs = ['exact', 'lossy'] as const;
const storedOf = (run: (typeof runs)[number]): Uint8Array[] => steps.map((step) => read(`${run}-${step}.firn`));

describe.each(runs)('packages of format version 10, %s', (run) => {
  const stored = storedOf(run);
  /** The chain of each checkpoint, newest first. */
  const chains = stored.map((_, step) => stored.slice(0, step + 1).reverse());

  it.each(steps)('decode to the recorded digests: checkpoint %i', async (step) => {
    const { digests } = expected[`${run}-${step}.firn`]!;
    expect(await digestsOf(await chainOf(core, chains[step]!))).toEqual(digests);
    expect(await digestsOf(await chainOf(core, chains[step]!, 2 ** 26))).toEqual(digests);
  });

  it('list renamed tensors where names changed, and nowhere else', async () => {
    const opened = await openChain(core, stored);
    expect(opened.map(({ index }) => index.formatVersion)).toEqual([
      run === 'exact' ? 1 : 2,
      10,
      run === 'exact' ? 1 : 2,
    ]);
    const listed = opened.map(({ index }) =>
      index.files.map(({ content }) => (content.type === 'safetensors' ? (content.namesakes?.size ?? 0) : 0)),
    );
    // The new tensor takes one as well: others share its block, and need a counterpart.
    expect(listed).toEqual([
      [0, 0],
      [4, 3],
      [0, 0],
    ]);
  });

  it('give any range of a file', async () => {
    const chain = await chainOf(core, chains[1]!, 2 ** 22);
    const path = 'a.safetensors';
    const whole = await bytesOf(chain, path);
    for (const [start, end] of [
      [0, 5],
      [1000, 1001],
      [500_001, 600_003],
      [whole.length - 9, whole.length],
    ] as const)
      expect((await bytesOf(chain, path, start, end)).equals(whole.subarray(start, end))).toBe(true);
  });

  it('with a payload changed and its checksum put right are damaged, or give other files', async () => {
    const opened = await openChain(core, stored.slice(0, 2));
    const blockCount = payloadsOf(opened[1]!.index).length;
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: blockCount - 1 }), changeBytes, async (block, edit) => {
        try {
          const changed = withPayload(core, opened[1]!, block, (payload) => edit(payload));
          await digestsOf(await chainOf(core, [changed, stored[0]!]));
        } catch (error) {
          if (!(error instanceof FirnError)) throw error;
          expect(['corrupt-package', 'unsupported-format']).toContain(error.code);
        }
      }),
      { numRuns: 100 },
    );
  }, 60_000);
});

describe('a run whose tensors were renamed', () => {
  it('is written still to the same digests, and for far fewer bytes than its base', async () => {
    const again = await storeNamesakesFixtureRuns();
    for (const run of runs) {
      for (const step of steps) expect(again[run][step]!.digests).toEqual(expected[`${run}-${step}.firn`]!.digests);
      const sizes = again[run].map(({ bytes }) => bytes.length);
      expect(sizes[1]! / sizes[0]!).toBeLessThan(run === 'exact' ? 0.4 : 0.8);
    }
  }, 60_000);
});
