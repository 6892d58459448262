import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirnError } from '../src/checkpoint/firn-error.ts';
import { loadCore } from '../src/native/load-core.ts';
import { gatheredBlocksMax } from '../src/package/format-limits.ts';
import type { PackageIndex } from '../src/package/package-index.ts';
import { residualSharer } from '../src/upkeep/merge/residual-payloads.ts';
import { changeBytes } from './change-bytes.ts';
import { bytesOf, chainOf, digestsOf } from './decode-chain.ts';
import { exactBases, storeStartsFixtureRun } from './fixtures/format-v11-run.ts';
import { openChain, payloadsOf, withPayload } from './reseal-package.ts';

const core = loadCore();
const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`./fixtures/format-v11/${name}`, import.meta.url)));
const expected = JSON.parse(Buffer.from(read('expected.json')).toString()) as Record<
  string,
  { packageId: string; digests: Record<string, string> }
>;
const steps = [0, 1, 2, 3] as const;
const stored = steps.map((step) => read(`starts-${step}.firn`));
/** The chain of each checkpoint, newest first. */
const chains = stored.map((_, step) => stored.slice(0, step + 1).reverse());

describe('packages of format version 11', () => {
  it.each(steps)('decode to the recorded digests: checkpoint %i', async (step) => {
    const { digests } = expected[`starts-${step}.firn`]!;
    expect(await digestsOf(await chainOf(core, chains[step]!))).toEqual(digests);
    expect(await digestsOf(await chainOf(core, chains[step]!, 2 ** 26))).toEqual(digests);
  });

  it('are written where residual blocks start from exact weights, and nowhere else', async () => {
    const opened = await openChain(core, stored);
    expect(opened.map(({ index }) => index.formatVersion)).toEqual([4, 10, 11, 2]);
    expect(opened.map(({ index }) => residualTensors(index))).toEqual([0, 0, 19, 19]);
    expect(stored[exactBases]!.length).toBeLessThan(stored[0]!.length / 3);
  });

  it('have blocks that start from exact weights, from zeros of new rows, and from origins', async () => {
    const chain = await chainOf(core, chains[exactBases]!);
    const gatheredOf = (path: string) => {
      const blocks = chain.blocks(path);
      return blocks.file.plan.blocks.flatMap(({ coding, segments }, number) =>
        coding.kind !== 'residual' ? [] : [{ names: segments.length, parts: blocks.walk(number).newest.gathered() }],
      );
    };
    const [a, b, small] = ['a.safetensors', 'b.safetensors', 'small.safetensors'].map(gatheredOf);
    // Three of a tensor of its own blocks, one of the rest, and the new tensor, which the base does not have.
    expect(a!.map(({ parts }) => parts?.length)).toEqual([3, 1, 1, 1, undefined]);
    expect(a!.flatMap(({ parts = [] }) => parts.map(({ zeroBytes = 0 }) => zeroBytes > 0))).toContain(true);
    expect(b!.map(({ names, parts }) => [names, parts?.length])).toEqual([
      [1, 1],
      [2, 2],
      [1, 1],
    ]);
    // In more blocks than a gathered one may lie in.
    expect(new Set(small![0]!.parts!.map(({ file, block }) => `${file} ${block}`)).size).toBeGreaterThan(
      gatheredBlocksMax,
    );
    await chain.close();
  });

  it('are not merged, and what is built on them is', async () => {
    const opened = await openChain(core, stored);
    expect(opened.map(({ index }) => residualSharer.takes(index))).toEqual([false, false, false, true]);
  });

  it('give any range of a file', async () => {
    for (const step of [exactBases, exactBases + 1]) {
      const chain = await chainOf(core, chains[step]!, 2 ** 22);
      const path = 'a.safetensors';
      const whole = await bytesOf(chain, path);
      for (const [start, end] of [
        [0, 5],
        [1000, 1001],
        [500_001, 600_003],
        [whole.length - 9, whole.length],
      ] as const)
        expect((await bytesOf(chain, path, start, end)).equals(whole.subarray(start, end))).toBe(true);
    }
  });

  it('with a payload changed and its checksum put right are damaged, or give other files', async () => {
    const opened = await openChain(core, stored.slice(0, exactBases + 1));
    const newest = opened[exactBases]!;
    const blockCount = payloadsOf(newest.index).length;
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: blockCount - 1 }), changeBytes, async (block, edit) => {
        try {
          const changed = withPayload(core, newest, block, (payload) => edit(payload));
          await digestsOf(await chainOf(core, [changed, ...chains[exactBases]!.slice(1)]));
        } catch (error) {
          if (!(error instanceof FirnError)) throw error;
          expect(['corrupt-package', 'unsupported-format']).toContain(error.code);
        }
      }),
      { numRuns: 100 },
    );
  }, 60_000);
});

describe('a lossy fine-tune of an exact base', () => {
  it('is written still to the same digests', async () => {
    const again = await storeStartsFixtureRun();
    for (const step of steps) expect(again[step]!.digests).toEqual(expected[`starts-${step}.firn`]!.digests);
  }, 60_000);
});

function residualTensors({ files }: PackageIndex): number {
  return files.reduce(
    (count, { content }) => count + (content.type === 'safetensors' ? (content.residuals?.size ?? 0) : 0),
    0,
  );
}
