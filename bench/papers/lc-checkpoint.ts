/**
 * Sizes of LC-Checkpoint's deltas by bits of promotion, beside those of the paper's figure 4:
 * `npx tsx bench/papers/lc-checkpoint.ts <folder of ckpt_*.safetensors>`.
 *
 * The first checkpoint's F32 tensors are the state. Every later checkpoint is a delta to the rebuilt state before it,
 * with blocks of one tensor each. Sizes are shares of the tensors' bytes: with Huffman codes as the core stores them,
 * and without, as the bits of the index and the values of the stored buckets. Nothing is searched here.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSafetensorsHeader } from '../../src/checkpoint/safetensors/parse-safetensors.ts';
import { blockElementsMax, type NativeCore } from '../../src/native/core.ts';
import { loadCore } from '../../src/native/load-core.ts';

const bitsMax = 8;

type Blocks = ReadonlyMap<string, Uint8Array>;

interface Measured {
  readonly rawBytes: number;
  readonly codedBytes: number;
  readonly indexedBytes: number;
  readonly bucketsMost: number;
  readonly bucketsMean: number;
}

async function blocksOf(path: string): Promise<Blocks> {
  const file = await readFile(path);
  const blocks = new Map<string, Uint8Array>();
  for (const { name, dtype, startBytes, endBytes } of parseSafetensorsHeader(file, file.length).tensors) {
    if (dtype !== 'F32') continue;
    for (let at = startBytes; at < endBytes; at += 4 * blockElementsMax)
      blocks.set(
        `${name} ${at - startBytes}`,
        Uint8Array.from(file.subarray(at, Math.min(endBytes, at + 4 * blockElementsMax))),
      );
  }
  return blocks;
}

async function measure(core: NativeCore, series: readonly Blocks[], bits: number): Promise<Measured> {
  const state = new Map(series[0]!);
  let [rawBytes, codedBytes, indexedBytes, buckets, bucketsMost, count] = [0, 0, 0, 0, 0, 0];
  for (const blocks of series.slice(1)) {
    for (const [key, current] of blocks) {
      const previous = state.get(key);
      if (previous?.length !== current.length) throw new Error(`${key} is not in every checkpoint`);
      const payload = await core.bucketEncode({ current, previous, dtype: 'F32', bits });
      state.set(key, Uint8Array.from(await core.bucketDecode(payload, { previous, dtype: 'F32' })));
      rawBytes += current.length;
      codedBytes += payload.length;
      indexedBytes += (bits * current.length) / 32 + 4 * payload[0]!;
      bucketsMost = Math.max(bucketsMost, payload[0]!);
      buckets += payload[0]!;
      count += 1;
    }
  }
  return { rawBytes, codedBytes, indexedBytes, bucketsMost, bucketsMean: buckets / count };
}

const folder = process.argv[2];
if (folder === undefined)
  throw new Error('usage: npx tsx bench/papers/lc-checkpoint.ts <folder of ckpt_*.safetensors>');
const paths = (await readdir(folder)).filter((name) => /^ckpt_\d+\.safetensors$/.test(name)).sort();
const series = await Promise.all(paths.map((name) => blocksOf(join(folder, name))));
const core = loadCore();
const lines = [
  '| bits | without Huffman | with Huffman | ratio | buckets of a block, mean / most |',
  '| ---: | ---: | ---: | ---: | ---: |',
];
for (let bits = 1; bits <= bitsMax; bits++) {
  const { rawBytes, codedBytes, indexedBytes, bucketsMean, bucketsMost } = await measure(core, series, bits);
  const share = (bytes: number): string => `${((100 * bytes) / rawBytes).toFixed(2)} %`;
  const ratio = (rawBytes / codedBytes).toFixed(1);
  lines.push(
    `| ${bits} | ${share(indexedBytes)} | ${share(codedBytes)} | ${ratio}x | ${bucketsMean.toFixed(1)} / ` +
      `${bucketsMost} |`,
  );
}
process.stdout.write(`${paths.length} checkpoints\n\n${lines.join('\n')}\n`);
process.exit(0);
