import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirnError } from '../src/checkpoint/firn-error.ts';
import { loadCore } from '../src/native/load-core.ts';
import { chainLengthMax, gatheredBlocksMax, gatheringsMax } from '../src/package/format-limits.ts';
import { changeBytes } from './change-bytes.ts';
import { crossedFiles, crossedPackage, gatheringFiles, packageOfFiles } from './crossed-packages.ts';
import { bytesOf, chainOf, digestsOf } from './decode-chain.ts';
import { storeKeptFixtureRun } from './fixtures/format-v6-run.ts';
import { openChain, payloadsOf, withPayload } from './reseal-package.ts';

const core = loadCore();
const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`./fixtures/format-v6/${name}`, import.meta.url)));
const expected = JSON.parse(Buffer.from(read('expected.json')).toString()) as {
  packageId: string;
  digests: Record<string, string>;
}[];
const stored = [0, 1, 2, 3].map((step) => read(`kept-${step}.firn`));
/** The chain of each checkpoint, newest first. */
const chains = stored.map((_, step) => stored.slice(0, step + 1).reverse());
const path = 'z.safetensors';

describe('packages of format version 6', () => {
  it.each([0, 1, 2, 3])('decode to the recorded digests: checkpoint %i', async (step) => {
    expect(await digestsOf(await chainOf(core, chains[step]!))).toEqual(expected[step]!.digests);
    expect(await digestsOf(await chainOf(core, chains[step]!, 2 ** 26))).toEqual(expected[step]!.digests);
  });

  it('keep tensors of every kind, and gather blocks of several files', async () => {
    const kinds = new Set<string>();
    const modes = new Set<number>();
    const opened = await openChain(core, stored);
    for (const [step, { index }] of opened.entries()) {
      expect(stored[step]![4]).toBe(step === 0 ? 4 : 6);
      const before = opened[step - 1]?.index;
      for (const { content } of index.files) {
        if (content.type !== 'safetensors') continue;
        for (const coding of content.codings) {
          if (coding.kind !== 'inherited') continue;
          const holder = before!.files[coding.file]!.content;
          if (holder.type === 'safetensors') kinds.add(holder.codings[coding.tensor]!.kind);
        }
      }
      if (step > 0) for (const payload of payloadsOf(index)) modes.add(stored[step]![payload.offsetBytes]!);
    }
    expect([...kinds].sort()).toEqual(['copy', 'exact', 'inherited']);
    // Unchanged blocks, and differences.
    for (const mode of [4, 9]) expect(modes).toContain(mode);
  });

  it('give any range of a file', async () => {
    const chain = await chainOf(core, chains[2]!, 2 ** 22);
    const whole = await bytesOf(chain, path);
    for (const [start, end] of [
      [0, 5],
      [1000, 1001],
      [500_001, 600_003],
      [whole.length - 9, whole.length],
    ] as const)
      expect((await bytesOf(chain, path, start, end)).equals(whole.subarray(start, end))).toBe(true);
  });

  it.each([
    ['kept', chainLengthMax],
    ['gathered', gatheringsMax],
  ] as const)(
    'come out at the end of a chain as long as may be, their tensors %s at every link',
    async (how, length) => {
      const chain = Array.from({ length }, (_, link) => crossedPackage(core, link, how)).reverse();
      const digests = Object.fromEntries(
        crossedFiles(length - 1).map(({ path, bytes }) => [path, createHash('sha256').update(bytes).digest('hex')]),
      );
      expect(await digestsOf(await chainOf(core, chain))).toEqual(digests);
    },
  );

  it.each([gatheringsMax + 1, 60])(
    'that gather at every of %i links are damaged, and nothing is decoded over and over',
    async (length) => {
      const chain = Array.from({ length }, (_, link) => crossedPackage(core, link, 'gathered')).reverse();
      await expect(chainOf(core, chain).then(digestsOf)).rejects.toMatchObject({ code: 'corrupt-package' });
    },
  );

  it('gather from so many blocks, and are damaged where it would be one more', async () => {
    const chain = (count: number): Uint8Array[] =>
      [1, 0].map((link) => packageOfFiles(core, link, gatheringFiles(link, count), 'gathered'));
    const [file] = gatheringFiles(1, gatheredBlocksMax);
    const opened = await chainOf(core, chain(gatheredBlocksMax));
    expect((await bytesOf(opened, file!.path)).equals(file!.bytes)).toBe(true);
    await expect(chainOf(core, chain(gatheredBlocksMax + 1)).then(digestsOf)).rejects.toMatchObject({
      code: 'corrupt-package',
    });
  });

  it('are written still to the same digests', async () => {
    expect((await storeKeptFixtureRun()).map(({ digests }) => digests)).toEqual(expected.map(({ digests }) => digests));
  }, 60_000);

  it('with a payload changed and its checksum put right are damaged, or give other files', async () => {
    const opened = await openChain(core, stored.slice(0, 3));
    const blockCount = payloadsOf(opened[2]!.index).length;
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: blockCount - 1 }), changeBytes, async (block, edit) => {
        try {
          await digestsOf(
            await chainOf(core, [
              withPayload(core, opened[2]!, block, (payload) => edit(payload)),
              stored[1]!,
              stored[0]!,
            ]),
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
