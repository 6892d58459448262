/**
 * Bytes of identical content in one repository: `npx tsx bench/storage/stored-once.ts`
 *
 * Pushes made-up checkpoints through an encode worker with a catalog in memory and a store on disk, and prints the
 * stored bytes of each. The content is normal fp32 weights rounded to 16 significant bits, whose exact form takes about
 * a third, and random, incompressible bytes. Every file is downloaded again and compared.
 */
import { createHash } from 'node:crypto';
import type { Checkpoint } from '../../src/catalog/contract/checkpoint-records.ts';
import {
  openCompressHarness,
  sha256,
  type CompressHarness,
  type Upload,
} from '../../src/compress/harness/compress-harness.test-support.ts';
import {
  f32,
  noise,
  safetensors,
  type TestTensor,
  type TestTensors,
} from '../../src/compress/harness/tiny-model.test-support.ts';

const exact = { fidelity: 'exact', thresholds: {} } as const;
const layerShape = [512, 512];

const weights = (seed: number, shape: readonly number[] = layerShape): TestTensor => {
  const values = noise(
    shape.reduce((product, length) => product * length, 1),
    seed,
  );
  const words = new Uint32Array(values.buffer);
  words.forEach((word, i) => (words[i] = word & 0xffff0000));
  return f32(shape, values);
};

/** Incompressible bytes. */
function randomBytes(sizeBytes: number, seed: string): Buffer {
  const chunks: Buffer[] = [];
  for (let i = 0; i * 64 < sizeBytes; i++) chunks.push(createHash('sha512').update(`${seed} ${i}`).digest());
  return Buffer.concat(chunks).subarray(0, sizeBytes);
}

const layers = (seeds: readonly number[]): TestTensors =>
  Object.fromEntries(seeds.map((seed, i) => [`layers.${i}.weight`, weights(seed)]));
const tokenizer = Buffer.from(
  JSON.stringify(Array.from({ length: 20_000 }, (_, i) => sha256(Buffer.from(String(i))).slice(0, 8))),
);
const config = (text: string): Buffer => Buffer.from(JSON.stringify({ model_type: 'firn', note: text }));

const threeFiles = (note: string): Upload => ({
  'model.safetensors': { role: 'model', bytes: safetensors(layers([1, 2, 3, 4])) },
  'tokenizer.json': { role: 'other', bytes: tokenizer },
  'config.json': { role: 'other', bytes: config(note) },
});
const one = (tensors: TestTensors): Upload => ({ 'model.safetensors': { role: 'model', bytes: safetensors(tensors) } });

const shards = (tensors: TestTensors): Upload => {
  const half = (first: number) =>
    safetensors(Object.fromEntries(Object.entries(tensors).filter((_, i) => Math.floor(i / 2) === first)));
  return {
    'model-1.safetensors': { role: 'model', bytes: half(0) },
    'model-2.safetensors': { role: 'model', bytes: half(1) },
  };
};
/** One element in twenty moved by one unit of the weights' rounding. */
const trained = (tensors: TestTensors): TestTensors =>
  Object.fromEntries(
    Object.entries(tensors).map(([name, { shape, data }]) => {
      const words = new Uint32Array(Float32Array.from(data as Float32Array).buffer);
      words.forEach((word, i) => (words[i] = i % 20 === 0 ? word + 0x10000 : word));
      return [name, f32(shape, new Float32Array(words.buffer))];
    }),
  );

/** The pushes of a case, in order, each with the name of its run. */
type Case = readonly { readonly run: string; readonly files: Upload }[];

const random = randomBytes(1_000_000, 'noise');
const tied = weights(9, [4096, 128]);
const small = weights(10, [300, 128]);

const cases: Readonly<Record<string, Case>> = {
  'one checkpoint, two runs': [
    { run: 'a', files: threeFiles('x') },
    { run: 'b', files: threeFiles('x') },
  ],
  'three files, config changed, same run': [
    { run: 'a', files: threeFiles('x') },
    { run: 'a', files: threeFiles('y') },
  ],
  'three files, config changed, another run': [
    { run: 'a', files: threeFiles('x') },
    { run: 'b', files: threeFiles('y') },
  ],
  'two of four layers frozen, another run': [
    { run: 'a', files: one(layers([1, 2, 3, 4])) },
    { run: 'b', files: one(layers([1, 2, 5, 6])) },
  ],
  'one of eight layers frozen, another run': [
    { run: 'a', files: one(layers([1, 2, 3, 4, 5, 6, 7, 8])) },
    { run: 'b', files: one(layers([1, 9, 10, 11, 12, 13, 14, 15])) },
  ],
  'two of four layers frozen, after references': [
    { run: 'a', files: one(layers([1, 2, 3, 4])) },
    { run: 'b', files: one(layers([1, 2, 3, 4])) },
    { run: 'b', files: one(layers([1, 2, 5, 6])) },
  ],
  'layers renamed, another run': [
    { run: 'a', files: one(layers([1, 2, 3, 4])) },
    {
      run: 'b',
      files: one(
        Object.fromEntries(Object.entries(layers([1, 2, 3, 4])).map(([name, tensor]) => [`model.${name}`, tensor])),
      ),
    },
  ],
  'two layers exchanged, same run': [
    { run: 'a', files: one(layers([1, 2, 3, 4])) },
    { run: 'a', files: one(layers([2, 1, 3, 4])) },
  ],
  'two shards instead of one, same run': [
    { run: 'a', files: one(layers([1, 2, 3, 4])) },
    { run: 'a', files: shards(layers([1, 2, 3, 4])) },
  ],
  'two shards instead of one, all trained': [
    { run: 'a', files: one(layers([1, 2, 3, 4])) },
    { run: 'a', files: shards(trained(layers([1, 2, 3, 4]))) },
  ],
  'one shard as before, all trained': [
    { run: 'a', files: one(layers([1, 2, 3, 4])) },
    { run: 'a', files: one(trained(layers([1, 2, 3, 4]))) },
  ],
  'a tensor among new small ones': [
    { run: 'a', files: { 'x.safetensors': { role: 'other', bytes: safetensors({ t: small }) } } },
    {
      run: 'a',
      files: { 'x.safetensors': { role: 'other', bytes: safetensors({ s: weights(13, [100, 100]), t: small }) } },
    },
  ],
  'tied embeddings, two blocks and more': [
    { run: 'a', files: one({ 'embed.weight': tied, 'head.weight': tied, 'fc.weight': weights(1) }) },
  ],
  'tied embeddings, less than a block': [
    { run: 'a', files: one({ 'embed.weight': small, 'head.weight': small, 'fc.weight': weights(1) }) },
  ],
  'master copy in an optimizer file': [
    {
      run: 'a',
      files: {
        ...one(layers([1, 2])),
        'optimizer.safetensors': {
          role: 'optimizer',
          bytes: safetensors({ ...layers([1, 2]), 'layers.0.exp_avg': weights(11), 'layers.1.exp_avg': weights(12) }),
        },
      },
    },
  ],
  'a file of random bytes at two steps': [
    {
      run: 'a',
      files: { 'noise.bin': { role: 'other', bytes: random }, 'config.json': { role: 'other', bytes: config('0') } },
    },
    {
      run: 'a',
      files: { 'noise.bin': { role: 'other', bytes: random }, 'config.json': { role: 'other', bytes: config('1') } },
    },
  ],
  'a file of random bytes twice in a checkpoint': [
    { run: 'a', files: { 'a.bin': { role: 'other', bytes: random }, 'b.bin': { role: 'other', bytes: random } } },
  ],
  'a shard under two names': [
    {
      run: 'a',
      files: {
        'model.safetensors': { role: 'model', bytes: safetensors(layers([1, 2])) },
        'copy.safetensors': { role: 'other', bytes: safetensors(layers([1, 2])) },
      },
    },
  ],
};

async function compare(harness: CompressHarness, checkpoint: Checkpoint, files: Upload): Promise<void> {
  for (const [path, { bytes }] of Object.entries(files)) {
    if (sha256(await harness.download(checkpoint, path)) !== sha256(bytes))
      throw new Error(`${path} came back differently`);
  }
}

console.log(`${'case'.padEnd(46)}${'run'.padStart(5)}${'raw'.padStart(12)}${'stored'.padStart(12)}  kind`);
for (const [name, pushes] of Object.entries(cases)) {
  const harness = await openCompressHarness();
  try {
    const runs = new Map<string, Awaited<ReturnType<CompressHarness['newRun']>>>();
    for (const [step, { run, files }] of pushes.entries()) {
      const target = runs.get(run) ?? (await harness.newRun(exact));
      runs.set(run, target);
      const checkpoint = await harness.push(target, step, files);
      await compare(harness, checkpoint, files);
      const { rawBytes, storedBytes, kind } = checkpoint.result!;
      console.log(
        `${name.padEnd(46)}${run.padStart(5)}${String(rawBytes).padStart(12)}${String(storedBytes).padStart(12)}` +
          `  ${kind}`,
      );
    }
  } finally {
    await harness.close();
  }
}
