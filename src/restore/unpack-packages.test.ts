import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCore } from '../native/load-core.ts';
import { MemoryStore } from '../package/memory-store.test-support.ts';
import { Dice, storeRandomRun, type StoredCheckpoint } from './random-run.test-support.ts';
import { unpackPackages } from './unpack-packages.ts';

const core = loadCore();
let folder: string;
let run: StoredCheckpoint[];
let packagePaths: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-unpack-'));
  const store = new MemoryStore();
  run = await storeRandomRun(new Dice(3), core, store, { length: 3, large: false, tensorsMax: 9 });
  packagePaths = await Promise.all(
    run.map(async ({ location }, step) => {
      const path = join(folder, `${step}.firn`);
      await writeFile(path, store.objects.get(location.key)!);
      return path;
    }),
  );
});
afterEach(() => rm(folder, { recursive: true }));

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('unpackPackages', () => {
  it('rebuilds the newest of a chain given in any order, and says what is elsewhere', async () => {
    const outFolder = join(folder, 'out', 'deeper');
    const unpacked = await unpackPackages({
      core,
      packagePaths: [packagePaths[1]!, packagePaths[2]!, packagePaths[0]!],
      outFolder,
    });
    expect(unpacked.map(({ file, written }) => [file.path, written])).toEqual(
      [...run[2]!.files.keys()].map((path) => [path, true] as [string, boolean]).concat([['raw/optimizer.bin', false]]),
    );
    for (const [path, bytes] of run[2]!.files) expect((await readFile(join(outFolder, path))).equals(bytes)).toBe(true);
    expect((await filesIn(outFolder)).length).toBe(run[2]!.files.size);
  });

  it('refuses packages that are not one whole chain', async () => {
    const unpackTo = (...paths: string[]) =>
      unpackPackages({ core, packagePaths: paths, outFolder: join(folder, 'out') });
    const [base, middle, newest] = packagePaths as [string, string, string];
    await expect(unpackTo(newest, base)).rejects.toMatchObject({ code: 'invalid-request' });
    await expect(unpackTo(newest)).rejects.toMatchObject({ code: 'invalid-request' });
    await expect(unpackTo(base, middle, middle)).rejects.toMatchObject({ code: 'invalid-request' });
    await expect(unpackTo()).rejects.toMatchObject({ code: 'invalid-request' });
    await expect(unpackTo(join(folder, 'absent'))).rejects.toMatchObject({ code: 'not-found' });
  });

  describe('given a package of several checkpoints', () => {
    const fixture = (name: string): string =>
      fileURLToPath(new URL(`../../test/fixtures/format-v3/${name}`, import.meta.url));
    const chain = [fixture('run-1-to-3.firn'), fixture('run-0.firn')];
    let expected: { packageId: string; digests: Record<string, string> }[];
    beforeEach(async () => {
      expected = JSON.parse(await readFile(fixture('expected.json'), 'utf8')) as typeof expected;
    });

    const unpackTo = (name: string, paths: readonly string[], packageId?: string) =>
      unpackPackages({ core, packagePaths: paths, packageId, outFolder: join(folder, name) });

    it('rebuilds the one that is asked for, or the last', async () => {
      for (const [step, { packageId, digests }] of expected.entries()) {
        const unpacked = await unpackTo(`step-${step}`, step === 0 ? chain.slice(1) : chain, packageId);
        expect(Object.fromEntries(unpacked.map(({ file }) => [file.path, file.sha256]))).toEqual(digests);
      }
      const newest = await unpackTo('newest', chain);
      expect(newest[0]!.file.sha256).toBe(expected[3]!.digests['model.safetensors']);
    });

    it('refuses what does not hold it, and files that are not needed', async () => {
      await expect(unpackTo('out', chain, 'ab'.repeat(16))).rejects.toMatchObject({ code: 'invalid-request' });
      await expect(unpackTo('out', chain.slice(0, 1))).rejects.toMatchObject({ code: 'invalid-request' });
      await expect(unpackTo('out', chain, expected[0]!.packageId)).rejects.toMatchObject({ code: 'invalid-request' });
      await expect(unpackTo('out', [...chain, fixture('run-1.firn')])).rejects.toMatchObject({
        code: 'invalid-request',
      });
    });
  });

  it('writes nothing when one file has no place', async () => {
    const outFolder = join(folder, 'out');
    await mkdir(outFolder);
    const last = run[0]!.index.files.findLast(({ content }) => content.type !== 'external')!;
    for (const taken of [last.path, dirname(last.path)]) {
      await mkdir(dirname(join(outFolder, taken)), { recursive: true });
      await writeFile(join(outFolder, taken), 'theirs');
      await expect(unpackPackages({ core, packagePaths: [packagePaths[0]!], outFolder })).rejects.toMatchObject({
        code: 'conflict',
      });
      expect(await readFile(join(outFolder, taken), 'utf8')).toBe('theirs');
      expect((await filesIn(outFolder)).length).toBe(1);
      await rm(outFolder, { recursive: true });
    }
  });

  it('takes a name as long as a disk does, and refuses a longer one before it writes anything', async () => {
    const store = new MemoryStore();
    const pack = async (nameBytes: number) => {
      const options = {
        length: 1,
        large: false,
        tensorsMax: 3,
        shardName: 'x'.repeat(nameBytes - '-0.safetensors'.length),
      };
      const [{ location, files }] = (await storeRandomRun(new Dice(4), core, store, options)) as [StoredCheckpoint];
      const path = join(folder, `${nameBytes}.firn`);
      await writeFile(path, store.objects.get(location.key)!);
      return { packagePaths: [path], files };
    };
    const [fits, tooLong] = [await pack(255), await pack(256)];
    const outFolder = join(folder, 'out');
    await expect(unpackPackages({ core, packagePaths: tooLong.packagePaths, outFolder })).rejects.toMatchObject({
      code: 'invalid-request',
    });
    expect(existsSync(outFolder)).toBe(false);
    await unpackPackages({ core, packagePaths: fits.packagePaths, outFolder });
    for (const [path, bytes] of fits.files) expect((await readFile(join(outFolder, path))).equals(bytes)).toBe(true);
  });

  it('overwrites nothing, and leaves nothing when a file is damaged', async () => {
    const outFolder = join(folder, 'out');
    await unpackPackages({ core, packagePaths: [packagePaths[0]!], outFolder });
    await expect(unpackPackages({ core, packagePaths: [packagePaths[0]!], outFolder })).rejects.toMatchObject({
      code: 'conflict',
    });
    const bytes = await readFile(packagePaths[0]!);
    // The first payload starts after the prefix.
    bytes[24]! ^= 4;
    await writeFile(packagePaths[0]!, bytes);
    const damaged = join(folder, 'damaged');
    await expect(unpackPackages({ core, packagePaths: [packagePaths[0]!], outFolder: damaged })).rejects.toMatchObject({
      code: 'corrupt-package',
    });
    expect(await readdir(damaged)).toEqual([]);
  });
});
