import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirnError } from '../src/checkpoint/firn-error.ts';
import { loadCore } from '../src/native/load-core.ts';
import { changeBytes } from './change-bytes.ts';
import { bytesOf, chainOf, digestsOf } from './decode-chain.ts';
import { storeMasterFixtureRun } from './fixtures/format-v5-run.ts';
import { openChain, payloadsOf, withPayload } from './reseal-package.ts';

const core = loadCore();
const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`./fixtures/format-v5/${name}`, import.meta.url)));
const expected = JSON.parse(Buffer.from(read('expected.json')).toString()) as {
  packageId: string;
  digests: Record<string, string>;
}[];
const stored = [0, 1, 2, 3, 4].map((step) => read(`masters-${step}.firn`));
/** The chain of each checkpoint, newest first. */
const chains = [
  [stored[0]!],
  [stored[1]!, stored[0]!],
  [stored[2]!, stored[1]!, stored[0]!],
  [stored[3]!],
  [stored[4]!, stored[3]!],
];
const path = 'optimizer.safetensors';

describe('packages of format version 5', () => {
  it.each([0, 1, 2, 3, 4])('decode to the recorded digests: checkpoint %i', async (step) => {
    expect(await digestsOf(await chainOf(core, chains[step]!))).toEqual(expected[step]!.digests);
    expect(await digestsOf(await chainOf(core, chains[step]!, 2 ** 26))).toEqual(expected[step]!.digests);
  });

  it('hold masters beside BF16 and F16, widened copies, and payloads that go on from masters', async () => {
    const kinds = new Set<string>();
    const modes = new Set<number>();
    for (const [newest, ...older] of chains) {
      expect(newest![4]).toBe(5);
      const opened = await openChain(core, [...older.reverse(), newest!]);
      const { index } = opened.at(-1)!;
      const codingsOf = (file: number) =>
        index.files[file]!.content.type === 'safetensors' ? index.files[file]!.content.codings : [];
      for (const { content } of index.files) {
        if (content.type !== 'safetensors') continue;
        for (const coding of content.codings) {
          const named = coding.kind === 'exact' ? coding.modelWeights : coding.kind === 'copy' ? coding : undefined;
          const holder = named && index.files[named.file]!.content;
          if (named !== undefined && holder?.type === 'safetensors')
            kinds.add(
              `${coding.kind} of ${codingsOf(named.file)[named.tensor]!.kind} ` +
                `${holder.layout.tensors[named.tensor]!.dtype}`,
            );
        }
      }
      for (const payload of payloadsOf(index)) modes.add(newest![payload.offsetBytes]!);
    }
    expect([...kinds].sort()).toEqual([
      'copy of exact F16',
      'copy of exact F32',
      'copy of residual BF16',
      'copy of residual F16',
      'copy of residual F32',
      'exact of exact BF16',
      'exact of exact F16',
    ]);
    for (const mode of [4, 8, 9, 10]) expect(modes).toContain(mode);
  });

  it('give any range of a file', async () => {
    const chain = await chainOf(core, chains[2]!, 2 ** 22);
    const whole = await bytesOf(chain, path);
    for (const [start, end] of [
      [0, 5],
      [1000, 1001],
      [500_001, 530_003],
      [whole.length - 9, whole.length],
    ] as const)
      expect((await bytesOf(chain, path, start, end)).equals(whole.subarray(start, end))).toBe(true);
  });

  it('are written still to the same digests', async () => {
    expect((await storeMasterFixtureRun()).map(({ digests }) => digests)).toEqual(
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
