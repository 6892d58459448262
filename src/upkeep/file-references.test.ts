import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import {
  modelOf,
  openCompressHarness,
  sha256,
  sixteenBins,
  type CompressHarness,
  type Upload,
} from '../compress/harness/compress-harness.test-support.ts';
import { f32, noise, safetensors, tinyWeights } from '../compress/harness/tiny-model.test-support.ts';
import { Downloads } from '../restore/downloads.ts';
import { unpackPackages } from '../restore/unpack-packages.ts';
import { patternBytes } from '../store/object-store.reference.ts';
import { deleteCheckpoint } from './delete-checkpoint.ts';
import { deleteRun } from './delete-run.ts';
import { collectNow } from './garbage/collect-now.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

const exact = { fidelity: 'exact', thresholds: {} } as const;
let seed = 0;

/** Files that no test has pushed before: a model, a tokenizer, a file that stays raw, and a config. */
function newFiles(): Record<string, { readonly role: 'model' | 'other'; readonly bytes: Buffer }> {
  seed += 1;
  return {
    'model.safetensors': {
      role: 'model',
      bytes: safetensors({ w: f32([300, 70], noise(21_000, seed)), b: f32([70], noise(70, seed)) }),
    },
    'tokenizer.json': {
      role: 'other',
      bytes: Buffer.from(JSON.stringify(Array.from(noise(3_000, seed), (x) => Math.round(1000 * x)))),
    },
    'noise.bin': { role: 'other', bytes: patternBytes(200_000, seed) },
    'config.json': {
      role: 'other',
      bytes: Buffer.from(JSON.stringify({ seed, layers: Array.from({ length: 300 }, (_, i) => i) })),
    },
  };
}

const storages = async ({ id }: Checkpoint) =>
  Object.fromEntries((await harness.catalog.files.list(id)).map(({ path, storage }) => [path, storage]));

async function expectWhole(checkpoint: Checkpoint, files: Upload): Promise<void> {
  for (const [path, { bytes }] of Object.entries(files))
    expect(sha256(await harness.download(checkpoint, path)), path).toBe(sha256(bytes));
}

/** Objects except those of the eval set. */
const objects = async () => (await harness.objects()).filter((key) => !key.startsWith('evalsets/'));

const allReferences = {
  'model.safetensors': 'reference',
  'tokenizer.json': 'reference',
  'noise.bin': 'reference',
  'config.json': 'reference',
};

describe('a file that the repository holds is a reference', () => {
  test('in another run, whatever its path: the checkpoint takes next to nothing and comes back', async () => {
    const files = newFiles();
    const first = await harness.push(await harness.newRun(exact), 5, files);
    const renamed = Object.fromEntries(Object.entries(files).map(([path, file]) => [`elsewhere/${path}`, file]));
    for (const again of [files, renamed]) {
      const second = await harness.push(await harness.newRun(exact), 0, again);
      expect(Object.values(await storages(second))).toEqual(Object.values(allReferences));
      expect(second.result!.storedBytes).toBeLessThan(500);
      expect(await harness.rawPaths(second)).toEqual([]);
      await expectWhole(second, again);
    }
    await expectWhole(first, files);
  });

  test('a download that meets the deletion of its checkpoint, and of what it refers to, finds nothing', async () => {
    const files = newFiles();
    const run = await harness.newRun(exact);
    await harness.push(run, 5, files);
    const elsewhere = await harness.newRun(exact);
    const second = await harness.push(elsewhere, 0, files);
    const { catalog, store, core } = harness;
    const downloads = new Downloads({ catalog, store, core, restorer: harness.context().freshRestorer() });
    const rows = await catalog.files.list(second.id);
    await deleteRun(harness, elsewhere);
    await deleteRun(harness, run);
    for (const row of rows)
      await expect(downloads.openFile(second, row)).rejects.toMatchObject({
        code: 'not-found',
        message: expect.stringContaining('deleted'),
      });
    await expect(downloads.openTensor(second, 'w')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('deleted'),
    });
  });

  test("of an earlier checkpoint where a base begins anew, or of the ancestor's raw object", async () => {
    const run = await harness.newRun(exact);
    const files = newFiles();
    await harness.push(run, 0, files);
    const base = await harness.push(run, 1, files, { ctx: harness.context({ chainLengthMax: 1 }) });
    expect(base.result!.kind).toBe('base');
    expect(await storages(base)).toEqual(allReferences);
    const run2 = await harness.newRun(exact);
    const others = newFiles();
    await harness.push(run2, 0, others);
    const changed = { ...others, 'config.json': { role: 'other', bytes: Buffer.alloc(1000, 'changed ') } } as const;
    const delta = await harness.push(run2, 1, changed);
    // A byte per block against the ancestor, so that later checkpoints have a package to be coded against.
    expect(await storages(delta)).toEqual({
      ...allReferences,
      'model.safetensors': 'package',
      'tokenizer.json': 'package',
      'config.json': 'package',
    });
    expect(delta.result!.storedBytes).toBeLessThan(500);
    await expectWhole(base, files);
    await expectWhole(delta, changed);
  });

  test('and what follows one is coded against a checkpoint that has the blocks', async () => {
    const run = await harness.newRun(exact);
    const files = newFiles();
    const moved = (from: number): Upload => {
      const values = noise(21_000, seed).map((x, i) => (i % 40 === from ? x + 1 : x));
      return {
        ...files,
        'model.safetensors': {
          role: 'model',
          bytes: safetensors({ w: f32([300, 70], values), b: f32([70], noise(70, seed)) }),
        },
      };
    };
    const base = await harness.push(run, 0, files);
    await harness.push(run, 1, moved(1));
    // As after a restart: the bytes of step 0 again, then others.
    const again = await harness.push(run, 2, files);
    expect((await storages(again))['model.safetensors']).toBe('reference');
    const next = await harness.push(run, 3, moved(2));
    // The origin of the reference differs less than step 1 does.
    expect(next.result).toMatchObject({ kind: 'delta', ancestorStep: 0 });
    expect(next.result!.storedBytes).toBeLessThan(base.result!.storedBytes / 10);
    await expectWhole(next, moved(2));
  });

  test('twice in one checkpoint, in the package and as a raw object', async () => {
    const files = newFiles();
    const copies = Object.fromEntries(
      Object.entries(files).map(([path, { bytes }]) => [`zz/${path}`, { role: 'other', bytes } as const]),
    );
    const alone = await harness.push(await harness.newRun(exact), 0, files);
    await deleteCheckpoint(harness, alone);
    const checkpoint = await harness.push(await harness.newRun(exact), 0, { ...files, ...copies });
    expect(Object.values(await storages(checkpoint)).filter((storage) => storage === 'reference')).toHaveLength(4);
    expect(checkpoint.result!.storedBytes).toBeLessThan(alone.result!.storedBytes + 500);
    await expectWhole(checkpoint, { ...files, ...copies });
    // Without the hub both files are decoded from the package; files that are not in it are missing.
    const folder = await mkdtemp(join(harness.directory, 'unpack-'));
    const packagePath = join(folder, 'package.firn');
    await writeFile(packagePath, await harness.packageBytes(checkpoint));
    const unpacked = await unpackPackages({
      core: harness.core,
      packagePaths: [packagePath],
      outFolder: join(folder, 'out'),
    });
    expect(unpacked.filter(({ written }) => !written).map(({ file }) => file.path)).toEqual([
      'noise.bin',
      'zz/noise.bin',
    ]);
    for (const path of ['tokenizer.json', 'zz/tokenizer.json', 'zz/model.safetensors'])
      expect(await readFile(join(folder, 'out', path))).toEqual({ ...files, ...copies }[path]!.bytes);
  });

  test('by range and by tensor, too, and with another dtype', async () => {
    const files = newFiles();
    await harness.push(await harness.newRun(exact), 0, files);
    const { catalog, store, core } = harness;
    const checkpoint = await harness.push(await harness.newRun(exact), 0, files);
    const downloads = new Downloads({ catalog, store, core, restorer: harness.context().freshRestorer() });
    const read = async (opened: Awaited<ReturnType<Downloads['openFile']>>, start = 0, end = opened.sizeBytes) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of opened.stream(start, end)) pieces.push(Uint8Array.from(piece));
      await opened.close();
      return Buffer.concat(pieces);
    };
    for (const path of ['model.safetensors', 'noise.bin']) {
      const row = (await catalog.files.find(checkpoint.id, path))!;
      expect(await read(await downloads.openFile(checkpoint, row), 100, 9000)).toEqual(
        files[path]!.bytes.subarray(100, 9000),
      );
    }
    const tensor = await downloads.openTensor(checkpoint, 'b');
    expect(tensor).toMatchObject({ path: 'model.safetensors', dtype: 'F32', shape: [70] });
    expect(await read(tensor)).toEqual(Buffer.from(noise(70, seed).buffer));
    expect((await read(await downloads.openTensor(checkpoint, 'b', { dtype: 'BF16' }))).length).toBe(140);
  });

  test('of a lossy run where it is stored exact; quantized files never are', async () => {
    const { 'tokenizer.json': tokenizer } = newFiles();
    const files = { ...modelOf(tinyWeights(0)), 'tokenizer.json': tokenizer! };
    await harness.push(await harness.newFixedRun(sixteenBins), 0, files);
    const second = await harness.push(await harness.newFixedRun(sixteenBins), 0, files);
    expect(await storages(second)).toEqual({ 'model.safetensors': 'package', 'tokenizer.json': 'reference' });
    expect(second.result!.fidelity).toBe('lossy');
    expect(await harness.download(second, 'tokenizer.json')).toEqual(tokenizer!.bytes);
  });
});

describe('no reference', () => {
  test('goes from one repository to another', async () => {
    const files = newFiles();
    await harness.push(await harness.newRun(exact), 0, files);
    const { id: repositoryId } = await harness.catalog.repositories.create({
      namespace: 'acme',
      name: `other-${seed}`,
      type: 'model',
    });
    const elsewhere = await harness.push(await harness.newRun({ ...exact, repositoryId }), 0, files);
    expect(Object.values(await storages(elsewhere))).not.toContain('reference');
    await expectWhole(elsewhere, files);
  });

  test('is made to bytes that are damaged: they are stored again', async () => {
    const files = newFiles();
    const first = await harness.push(await harness.newRun(exact), 0, files);
    for (const { rawKey } of await harness.catalog.files.list(first.id))
      if (rawKey !== undefined) await harness.store.delete(rawKey);
    await harness.store.delete((await harness.catalog.packages.get(first.packageId!))!.key);
    const second = await harness.push(await harness.newRun(exact), 0, files);
    expect(Object.values(await storages(second))).not.toContain('reference');
    await expectWhole(second, files);
  });

  test('is made where the origin goes before the commit: the job is tried again and stores the bytes', async () => {
    const files = newFiles();
    const first = await harness.push(await harness.newRun(exact), 0, files);
    const run = await harness.newRun(exact);
    const { id } = await harness.queue(run, 0, files);
    const { catalog } = harness;
    let transactions = 0;
    const racing = harness.context({
      catalog: {
        ...catalog,
        transaction: async (work) => {
          // The first transaction records that work has begun, the second is the commit.
          transactions += 1;
          if (transactions === 2) await deleteCheckpoint(harness, first);
          return catalog.transaction(work);
        },
      },
    });
    await expect(harness.work(racing)).rejects.toMatchObject({ code: 'conflict' });
    expect((await harness.checkpoint(id)).state).toBe('working');
    await harness.work();
    const second = await harness.checkpoint(id);
    expect(Object.values(await storages(second))).not.toContain('reference');
    await expectWhole(second, files);
  });
});

describe('deletion keeps what is referred to, and leaves nothing behind', () => {
  const orders: readonly (readonly number[])[] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];

  test.each(orders)(
    'three runs with the same files and one change, deleted in the order %i %i %i',
    async (...order) => {
      const before = await objects();
      const files = newFiles();
      const more = newFiles();
      const uploads: Upload[] = [
        files,
        { ...files, 'noise.bin': more['noise.bin']! },
        { ...more, 'model.safetensors': files['model.safetensors']! },
      ];
      const runs: { readonly run: Run; readonly checkpoint: Checkpoint; readonly files: Upload }[] = [];
      for (const upload of uploads) {
        const run = await harness.newRun(exact);
        runs.push({ run, checkpoint: await harness.push(run, 0, upload), files: upload });
      }
      const left = new Set(runs);
      for (const number of order) {
        const gone = runs[number]!;
        // Deletes a run, or its only checkpoint.
        if (number === 1) await deleteCheckpoint(harness, gone.checkpoint);
        else await deleteRun(harness, gone.run);
        left.delete(gone);
        for (const { checkpoint, files: kept } of left) await expectWhole(checkpoint, kept);
      }
      expect(await harness.catalog.checkpoints.reclaimable(100)).toEqual([]);
      await collectNow(harness);
      expect(await objects()).toEqual(before);
    },
  );

  test('a checkpoint that only a delta keeps lets go of the raw object of the last reference', async () => {
    const before = await objects();
    const [run, other] = [await harness.newRun(exact), await harness.newRun(exact)];
    const files = newFiles();
    const next = newFiles();
    const first = await harness.push(run, 0, files);
    const delta = await harness.push(run, 1, next);
    const second = await harness.push(other, 0, files);
    const raw = (await harness.catalog.files.find(first.id, 'noise.bin'))!.rawKey!;
    await deleteCheckpoint(harness, first);
    expect(await objects()).toContain(raw);
    await expectWhole(second, files);
    await deleteCheckpoint(harness, second);
    expect(await objects()).not.toContain(raw);
    await expectWhole(delta, next);
    await deleteRun(harness, run);
    expect(await objects()).toEqual(before);
  });
});
