import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { Downloads } from '../restore/downloads.ts';
import { unpackPackages } from '../restore/unpack-packages.ts';
import { patternBytes } from '../store/object-store.reference.ts';
import {
  collect,
  openCompressHarness,
  sha256,
  tensorBytes,
  type CompressHarness,
  type Upload,
} from './harness/compress-harness.test-support.ts';
import { f32, noise, safetensors, type TestTensor, type TestTensors } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

const matrix = (seed: number, rows = 90, columns = 70): TestTensor => f32([rows, columns], noise(rows * columns, seed));
/** A tensor of two blocks and a bit. */
const wide = (seed: number): TestTensor => matrix(seed, 400, 700);
/** Changes a few per cent of the elements. */
const trained = ({ shape, data }: TestTensor): TestTensor =>
  f32(
    shape,
    (data as Float32Array).map((x, i) => (i % 31 === 0 ? x * 1.01 : x)),
  );
const other = (tensors: TestTensors): Upload[string] => ({ role: 'other', bytes: safetensors(tensors) });
const one = (tensors: TestTensors): Upload => ({ 'x.safetensors': other(tensors) });

/** Each run has its own repository, so that it refers to no other test's files. */
async function newRun(): Promise<Run> {
  const { id: repositoryId } = await harness.catalog.repositories.create({
    namespace: 'acme',
    name: `kept-${Math.random()}`,
    type: 'model',
  });
  return harness.newRun({ repositoryId, fidelity: 'exact', thresholds: {} });
}

async function expectWhole(checkpoint: Checkpoint, files: Upload): Promise<void> {
  for (const [path, { bytes }] of Object.entries(files))
    expect(sha256(await harness.download(checkpoint, path)), path).toBe(sha256(bytes));
}

const versionOf = async (checkpoint: Checkpoint): Promise<number> => (await harness.packageBytes(checkpoint))[4]!;

/** Pushes a run and returns its checkpoints, after comparing their downloads. */
async function pushAll(run: Run, uploads: readonly Upload[]): Promise<Checkpoint[]> {
  const pushed: Checkpoint[] = [];
  for (const [step, files] of uploads.entries()) {
    pushed.push(await harness.push(run, step, files));
    await expectWhole(pushed.at(-1)!, files);
  }
  return pushed;
}

const storedBytes = ({ result }: Checkpoint): number => result!.storedBytes;

describe('tensors that the ancestor has are not stored again', () => {
  const [a, b, c, d] = [matrix(1), matrix(2), wide(3), wide(4)];

  test.each<[string, Upload, Upload]>([
    ['renamed', one({ a, b, c }), one({ 'model.a': a, 'model.b': b, 'model.c': c })],
    ['exchanged', one({ a, b, c, d }), one({ a: b, b: a, c: d, d: c })],
    [
      'in a file more than before',
      one({ a, b, c, d }),
      { 'x-1.safetensors': other({ a, c }), 'x-2.safetensors': other({ b, d }) },
    ],
    [
      'in a file less than before',
      { 'x-1.safetensors': other({ a, c }), 'x-2.safetensors': other({ b, d }) },
      one({ a, b, c, d }),
    ],
    ['of another shape', one({ a, c }), one({ a: { ...a, shape: [6300] }, c: { ...c, shape: [700, 400] } })],
    ['twice where there was one', one({ a, c }), one({ a, c, tied: a, 'tied.c': c })],
    ['under one name where there were two', one({ a, c, tied: a, 'tied.c': c }), one({ tied: a, 'tied.c': c })],
  ])('%s', async (_, before, after) => {
    const [base, delta, last] = (await pushAll(await newRun(), [before, after, after])) as [
      Checkpoint,
      Checkpoint,
      Checkpoint,
    ];
    expect(delta.result!.kind).toBe('delta');
    expect(storedBytes(delta)).toBeLessThan(1000);
    expect(storedBytes(base)).toBeGreaterThan(20_000);
    expect(storedBytes(last)).toBeLessThan(600);
  });

  test.each<[string, (tables: readonly TestTensor[]) => Record<string, TestTensor>]>([
    ['rotated', (tables) => Object.fromEntries(tables.map((_, i) => [`t${i}`, tables[(i + 1) % tables.length]!]))],
    ['renamed', (tables) => Object.fromEntries(tables.map((table, i) => [`u${i}`, table]))],
  ])('%s, though they all start alike', async (_, changed) => {
    // Tables of embeddings with a row for padding are like this.
    const tables = Array.from({ length: 12 }, (__, i) =>
      f32(
        [100, 256],
        Float32Array.from(noise(25_600, 60 + i), (x, at) => (at < 256 ? 0 : x)),
      ),
    );
    const [, delta] = await pushAll(await newRun(), [
      one(Object.fromEntries(tables.map((table, i) => [`t${i}`, table]))),
      one(changed(tables)),
    ]);
    expect(storedBytes(delta!)).toBeLessThan(1000);
  });

  test('next to new tensors of the same blocks', async () => {
    const news = Object.fromEntries([11, 12, 13].map((seed) => [`new.${seed}`, matrix(seed)]));
    const [, delta] = await pushAll(await newRun(), [one({ a, b }), one({ a, ...news, b })]);
    const [alone] = await pushAll(await newRun(), [one(news)]);
    expect(storedBytes(delta!)).toBeLessThan(storedBytes(alone!) + 500);
    expect(await versionOf(delta!)).toBe(6);
  });

  test('though nothing makes them smaller', async () => {
    const random = (seed: number): TestTensor => ({ dtype: 'U8', shape: [300_000], data: patternBytes(300_000, seed) });
    const [, delta] = await pushAll(await newRun(), [
      one({ x: random(1), y: random(2), c }),
      one({ y: random(1), z: random(2), w: random(3), c }),
    ]);
    expect(storedBytes(delta!)).toBeLessThan(301_500);
  });

  test('in another run of the repository that has nothing to go on from', async () => {
    const run = await newRun();
    await pushAll(run, [one({ a, b, c })]);
    const elsewhere = await harness.newRun({ repositoryId: run.repositoryId, fidelity: 'exact', thresholds: {} });
    const [first] = await pushAll(elsewhere, [one({ 'model.a': a, 'model.c': c, head: matrix(20) })]);
    const [alone] = await pushAll(await newRun(), [one({ head: matrix(20) })]);
    expect(storedBytes(first!)).toBeLessThan(storedBytes(alone!) + 500);
  });
});

describe('inherited tensors can be trained on', () => {
  const [a, b, c] = [matrix(1), matrix(2), wide(3)];
  const before = one({ a, b, c });
  const after = one({ b: trained(a), a: trained(b), 'model.c': trained(c) });

  test('deltas go on from it', async () => {
    const [, plain] = await pushAll(await newRun(), [before, one({ a: trained(a), b: trained(b), c: trained(c) })]);
    const [, , delta] = await pushAll(await newRun(), [before, one({ b: a, a: b, 'model.c': c }), after]);
    expect(storedBytes(delta!)).toBeLessThan(1.1 * storedBytes(plain!) + 300);
    const [, , again] = await pushAll(await newRun(), [before, after, after]);
    expect(storedBytes(again!)).toBeLessThan(500);
  });

  test('tensors in other files than before, all of them trained', async () => {
    const [, plain] = await pushAll(await newRun(), [before, one({ a: trained(a), b: trained(b), c: trained(c) })]);
    const [, delta] = await pushAll(await newRun(), [
      before,
      { 'y.safetensors': other({ a: trained(a) }), 'z.safetensors': other({ b: trained(b), c: trained(c) }) },
    ]);
    expect(await versionOf(delta!)).toBe(6);
    expect(storedBytes(delta!)).toBeLessThan(1.1 * storedBytes(plain!) + 300);
  });

  test('ranges, tensors, views and the packages alone give the same bytes', async () => {
    const uploads = [
      before,
      one({ b: a, a: b, 'model.c': c }),
      { 'y.safetensors': other({ a: b, 'model.c': trained(c) }), 'z.safetensors': other({ last: a, new: matrix(9) }) },
    ];
    const pushed = await pushAll(await newRun(), uploads);
    const { catalog, store, core } = harness;
    const downloads = new Downloads({ catalog, store, core, restorer: harness.context().freshRestorer() });
    const newest = pushed[2]!;
    const whole = Buffer.from(uploads[2]!['y.safetensors']!.bytes);
    const row = (await catalog.files.find(newest.id, 'y.safetensors'))!;
    for (const [start, end] of [
      [0, 100],
      [20_000, 20_001],
      [25_000, 700_000],
      [whole.length - 5, whole.length],
    ] as const) {
      const opened = await downloads.openFile(newest, row);
      expect((await collect(opened.stream(start, end))).equals(whole.subarray(start, end))).toBe(true);
      await opened.close();
    }
    const tensor = await downloads.openTensor(newest, 'last');
    expect(await collect(tensor.stream(4, 4000))).toEqual(
      tensorBytes(Buffer.from(uploads[2]!['z.safetensors']!.bytes), 'last').subarray(4, 4000),
    );
    await tensor.close();
    const view = await downloads.openFile(newest, row, { dtype: 'BF16' });
    const viewed = tensorBytes(await collect(view.stream(0, view.sizeBytes)), 'a');
    await view.close();
    expect(
      viewed.equals(Buffer.from(await core.convert(Uint8Array.from(tensorBytes(whole, 'a')), 'F32', 'BF16'))),
    ).toBe(true);

    const folder = await mkdtemp(join(harness.directory, 'unpack-'));
    const packagePaths = await Promise.all(
      pushed.map(async (checkpoint, step) => {
        const path = join(folder, `${step}.firn`);
        await writeFile(path, await harness.packageBytes(checkpoint));
        return path;
      }),
    );
    await unpackPackages({ core, packagePaths, outFolder: join(folder, 'out') });
    for (const [path, { bytes }] of Object.entries(uploads[2]!))
      expect(sha256(await readFile(join(folder, 'out', path)))).toBe(sha256(bytes));
  });
});

test('a chain whose shards are cut anew at every step gathers tensors at most twice', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const tensors = names.map((_, i) => matrix(i + 40));
  const uploads = [0, 1, 2, 3, 4].map((step): Upload => {
    const pairs =
      step % 2 === 0
        ? [
            [0, 1],
            [2, 3],
          ]
        : [
            [0, 2],
            [1, 3],
          ];
    const shard = (pair: readonly number[]) =>
      other(
        Object.fromEntries(
          pair.map((i) => [
            names[i]!,
            f32(
              [90, 70],
              (tensors[i]!.data as Float32Array).map((x, j) => (j % 31 === 0 ? x * (1 + step / 100) : x)),
            ),
          ]),
        ),
      );
    return Object.fromEntries(pairs.map((pair, number) => [`shard-${step}-${number}.safetensors`, shard(pair)]));
  });
  const pushed = await pushAll(await newRun(), uploads);
  const version = new Map(
    await Promise.all(pushed.map(async (each) => [each.packageId!, await versionOf(each)] as const)),
  );
  for (const [step, { packageId, result }] of pushed.entries()) {
    const chain = await harness.catalog.packages.chain(packageId!);
    expect(result!.kind).toBe(step === 0 ? 'base' : 'delta');
    expect(chain.filter(({ id }) => version.get(id) === 6).length).toBe(Math.min(step, 2));
  }
});

test('if nothing more can be gathered, exchanged tensors take no more than their own bytes', async () => {
  const count = 32;
  const names = Array.from({ length: count }, (_, i) => `t${String(i).padStart(2, '0')}`);
  let contents = names.map((_, i) => matrix(200 + i, 64, 64));
  const uploads = [one(Object.fromEntries(names.map((name, i) => [name, contents[i]!])))];
  for (let step = 1; step <= 6; step++) {
    contents = step % 2 === 0 ? contents.map(trained) : [contents[1]!, contents[0]!, ...contents.slice(2)];
    uploads.push(one(Object.fromEntries(names.map((name, i) => [name, contents[i]!]))));
  }
  const pushed = await pushAll(await newRun(), uploads);
  const [base, ...deltas] = pushed.map(storedBytes);
  for (const [i, bytes] of deltas.entries()) expect(bytes, `step ${i + 1}`).toBeLessThan((4 / count) * base!);
});

test(
  'random files whose tensors wander between names, files and contents come back whole along a chain',
  { timeout: 120_000 },
  async () => {
    const tensor = fc.record({
      name: fc.nat({ max: 5 }),
      content: fc.nat({ max: 4 }),
      rows: fc.constantFrom(1, 40, 200),
      dtype: fc.constantFrom('F32', 'BF16', 'U8' as const),
    });
    const file = fc.uniqueArray(tensor, { minLength: 1, maxLength: 6, selector: ({ name }) => name });
    const checkpoint = fc.array(file, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(checkpoint, { minLength: 2, maxLength: 4 }), async (steps) => {
        const uploads = steps.map((files): Upload =>
          Object.fromEntries(files.map((tensors, number) => [`file-${number}.safetensors`, other(tensorsOf(tensors))])),
        );
        for (const pushed of await pushAll(await newRun(), uploads))
          expect(storedBytes(pushed)).toBeLessThanOrEqual(pushed.result!.rawBytes + 4096);
      }),
      { numRuns: 25, seed: 11, endOnFailure: true },
    );
  },
);

const elementBytes = { F32: 4, BF16: 2, U8: 1 } as const;

function tensorsOf(
  tensors: readonly { name: number; content: number; rows: number; dtype: keyof typeof elementBytes }[],
): TestTensors {
  return Object.fromEntries(
    tensors.map(({ name, content, rows, dtype }) => [
      `t${name}`,
      { dtype, shape: [rows, 700], data: patternBytes(rows * 700 * elementBytes[dtype], content) },
    ]),
  );
}
