import { expect, test } from 'vitest';
import { loadCore } from '../../native/load-core.ts';
import { patternBytes } from '../../store/object-store.reference.ts';
import { chooseExternal } from './choose-external.ts';
import { sourceFile } from '../harness/memory-source.test-support.ts';
import { ModelSource } from '../upload/model-source.ts';
import { planCopies } from '../plan/find-copies.ts';
import { planExact } from '../plan/plan-codings.ts';
import { f32, noise, safetensors } from '../harness/tiny-model.test-support.ts';

const core = loadCore();
const text = (sizeBytes: number) =>
  Buffer.from('the quick brown fox jumps over the lazy dog. '.repeat(Math.ceil(sizeBytes / 45))).subarray(0, sizeBytes);

const blockBytes = 131_072;
const inTurn = (...pair: [Uint8Array, Uint8Array]) => Buffer.concat(Array.from({ length: 80 }, (_, i) => pair[i % 2]!));
const manyTensors = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `model.layers.${i}.attention.query.weight`,
      { dtype: 'U8' as const, shape: [256], data: patternBytes(256, i) },
    ]),
  );

test.each([
  ['random bytes', 'noise.bin', patternBytes(2_000_000), true],
  [
    'random bytes in a tensor',
    'noise.safetensors',
    safetensors({ t: { dtype: 'U8', shape: [100_000], data: patternBytes(100_000) } }),
    true,
  ],
  ['text', 'text.txt', text(2_000_000), false],
  ['weights', 'model.safetensors', safetensors({ w: f32([200, 200], noise(40_000, 1)) }), false],
  ['random bytes below the size where an object of their own pays', 'small.bin', patternBytes(60_000), false],
  ['an empty file', 'empty.bin', Buffer.alloc(0), false],
  ['text with a random eighth', 'mixed.bin', Buffer.concat([text(1_750_000), patternBytes(250_000)]), false],
  [
    'random bytes with a zero block after each',
    'in-turn.bin',
    inTurn(patternBytes(blockBytes), Buffer.alloc(blockBytes)),
    false,
  ],
  [
    'zero blocks with a random one after each',
    'in-turn.bin',
    inTurn(Buffer.alloc(blockBytes), patternBytes(blockBytes)),
    false,
  ],
  ['random bytes behind a header that says one thing often', 'named.safetensors', safetensors(manyTensors(800)), false],
])('%s: %s stays raw: %s', async (_, path, bytes, external) => {
  const source = new ModelSource([sourceFile(path, bytes, 'other')], new Map(), core, 0);
  const plan = planExact(source.files, new Map());
  expect(await chooseExternal({ source, plan, ancestor: undefined, references: new Map() }, core)).toEqual(
    new Set(external ? [0] : []),
  );
});

test('a file with a quantized tensor is never left out by its exact ones', async () => {
  const file = sourceFile(
    'model.safetensors',
    safetensors({
      w: f32([200, 200], noise(40_000, 1)),
      t: { dtype: 'U8', shape: [300_000], data: patternBytes(300_000) },
    }),
  );
  const source = new ModelSource([file], new Map(), core, 0);
  const exact = planExact(source.files, new Map());
  const quantized = {
    ...exact,
    files: exact.files.map(({ codings, blocks }) => ({
      codings: codings.map((coding, i) =>
        i === blocks[0]!.segments[0]!.tensor ? ({ kind: 'levels', codebook: 0 } as const) : coding,
      ),
      blocks: blocks.map((block, i) =>
        i === 0 ? { ...block, coding: { kind: 'levels', codebook: 0 } as const } : block,
      ),
    })),
  };
  expect(await chooseExternal({ source, plan: quantized, ancestor: undefined, references: new Map() }, core)).toEqual(
    new Set(),
  );
});

test('copies inside a file count as nothing, and a file that others copy is never left out', async () => {
  const random = { dtype: 'U8', shape: [300_000], data: patternBytes(300_000) } as const;
  const chosen = async (...files: Parameters<typeof safetensors>[0][]): Promise<Set<number>> => {
    const source = new ModelSource(
      files.map((tensors, i) => sourceFile(`${i}.safetensors`, safetensors(tensors), 'other')),
      new Map(),
      core,
      0,
    );
    const plan = await planCopies({ files: source.files, plan: planExact(source.files, new Map()), apart: new Set() });
    return chooseExternal({ source, plan, ancestor: undefined, references: new Map() }, core);
  };
  const other = { ...random, data: patternBytes(300_000, 2) };
  expect(await chosen({ a: random })).toEqual(new Set([0]));
  expect(await chosen({ a: random, b: random })).toEqual(new Set());
  expect(
    await chosen({ a: random }, { b: random, c: other }, { d: { ...other, data: patternBytes(300_000, 9) } }),
  ).toEqual(new Set([2]));
});
