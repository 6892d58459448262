import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirnError } from '../src/checkpoint/firn-error.ts';
import { loadCore } from '../src/native/load-core.ts';
import { changeBytes } from './change-bytes.ts';
import { bytesOf, chainOf, digestsOf } from './decode-chain.ts';
import { storeStateFixtureRun } from './fixtures/format-v4-state-run.ts';
import { openChain, payloadsOf, withPayload } from './reseal-package.ts';

const core = loadCore();
const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`./fixtures/format-v4-state/${name}`, import.meta.url)));
const expected = JSON.parse(Buffer.from(read('expected.json')).toString()) as {
  packageId: string;
  digests: Record<string, string>;
}[];
const stored = [0, 1, 2, 3].map((step) => read(`state-${step}.firn`));
/** The chain of each checkpoint, newest first. */
const chains = [[stored[0]!], [stored[1]!, stored[0]!], [stored[2]!, stored[1]!, stored[0]!], [stored[3]!]];
const path = 'state.optim.safetensors';

describe('packages of format version 4 with optimizer state', () => {
  it.each([0, 1, 2, 3])('decode to the recorded digests: checkpoint %i', async (step) => {
    expect(await digestsOf(await chainOf(core, chains[step]!))).toEqual(expected[step]!.digests);
    expect(await digestsOf(await chainOf(core, chains[step]!, 2 ** 26))).toEqual(expected[step]!.digests);
  });

  it('are of all encodings', async () => {
    const encodings = new Set<string>();
    for (const packages of chains) {
      for (const { content } of (await chainOf(core, packages)).files) {
        if (content.type === 'safetensors')
          for (const coding of content.codings) encodings.add(coding.kind === 'state' ? coding.encoding : coding.kind);
      }
    }
    expect([...encodings].sort()).toEqual(['clusters', 'exact', 'firstMoment', 'momentum', 'secondMoment']);
  });

  it('give any range of a file', async () => {
    const chain = await chainOf(core, chains[2]!, 2 ** 22);
    const whole = await bytesOf(chain, path);
    for (const [start, end] of [
      [0, 5],
      [1000, 1001],
      [600_001, 700_003],
      [whole.length - 9, whole.length],
    ] as const)
      expect((await bytesOf(chain, path, start, end)).equals(whole.subarray(start, end))).toBe(true);
  });

  it('are written still to the same digests', async () => {
    expect((await storeStateFixtureRun()).map(({ digests }) => digests)).toEqual(
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
