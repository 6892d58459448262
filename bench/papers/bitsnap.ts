/**
 * Bytes of BitSnap blocks by the share of changed weights, beside the paper's equation 2:
 * `npx tsx bench/papers/bitsnap.ts <safetensors file>`.
 *
 * The F32 weights of the file are rounded to BF16 and cut into blocks. In each block a random choice of elements
 * changes to a neighbouring number. Every payload is decoded and compared. Bytes are payloads alone, beside those of
 * the weights in BF16; the paper's are n / 8 + 2 c, and 2 n from 15/16 on.
 */
import { readFile } from 'node:fs/promises';
import { parseSafetensorsHeader } from '../../src/checkpoint/safetensors/parse-safetensors.ts';
import { bitmaskMode, blockElementsMax, type NativeCore } from '../../src/native/core.ts';
import { loadCore } from '../../src/native/load-core.ts';

const shares = [0, 0.01, 0.03125, 0.15, 0.3, 0.5, 0.75, 0.9, 0.9375, 1];

interface Measured {
  readonly bytes: number;
  readonly paperBytes: number;
  readonly masked: number;
}

/** Numbers of a linear congruential generator, below 1. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Changes the first `count` elements of a random order. */
function changed(previous: Uint16Array, count: number, seed: number): Uint16Array {
  const random = uniform(seed);
  const order = Uint32Array.from(previous, (_, i) => i);
  for (let i = 0; i < count; i++) {
    const j = i + Math.floor(random() * (order.length - i));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  const current = Uint16Array.from(previous);
  for (const at of order.subarray(0, count)) current[at]! ^= 1;
  return current;
}

async function measure(core: NativeCore, blocks: readonly Uint16Array[], share: number): Promise<Measured> {
  let [bytes, paperBytes, masked] = [0, 0, 0];
  for (const [seed, block] of blocks.entries()) {
    const count = Math.round(share * block.length);
    const [previous, current] = [block, changed(block, count, seed + 1)].map((words) => new Uint8Array(words.buffer));
    const payload = await core.bitmaskEncode({ current: current!, previous, dtype: 'BF16' });
    const decoded = await core.bitmaskDecode(payload, { previous, dtype: 'BF16', elementCount: block.length });
    if (Buffer.compare(decoded, current!) !== 0) throw new Error('a block came back different');
    bytes += payload.length;
    paperBytes += 16 * count < 15 * block.length ? block.length / 8 + 2 * count : 2 * block.length;
    if (payload[0] === bitmaskMode) masked += 1;
  }
  return { bytes, paperBytes, masked };
}

async function blocksOf(path: string, core: NativeCore): Promise<Uint16Array[]> {
  const file = await readFile(path);
  const blocks: Uint16Array[] = [];
  for (const { dtype, startBytes, endBytes } of parseSafetensorsHeader(file, file.length).tensors) {
    if (dtype !== 'F32') continue;
    for (let at = startBytes; at < endBytes; at += 4 * blockElementsMax) {
      const narrow = await core.convert(
        Uint8Array.from(file.subarray(at, Math.min(endBytes, at + 4 * blockElementsMax))),
        'F32',
        'BF16',
      );
      blocks.push(new Uint16Array(Uint8Array.from(narrow).buffer));
    }
  }
  return blocks;
}

const path = process.argv[2];
if (path === undefined) throw new Error('usage: npx tsx bench/papers/bitsnap.ts <safetensors file>');
const core = loadCore();
const blocks = await blocksOf(path, core);
const weights = blocks.reduce((sum, { length }) => sum + length, 0);
const lines = [
  '| changed | bytes | ratio | the paper | its ratio | blocks with a mask |',
  '| ---: | ---: | ---: | ---: | ---: | ---: |',
];
for (const share of shares) {
  const { bytes, paperBytes, masked } = await measure(core, blocks, share);
  const ratio = (of: number): string => ((2 * weights) / of).toFixed(2);
  lines.push(
    `| ${100 * share} % | ${bytes} | ${ratio(bytes)} | ${Math.round(paperBytes)} | ${ratio(paperBytes)} | ` +
      `${masked} of ${blocks.length} |`,
  );
}
process.stdout.write(`${weights} weights\n\n${lines.join('\n')}\n`);
process.exit(0);
