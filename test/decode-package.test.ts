import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  modelOf,
  openCompressHarness,
  type CompressHarness,
} from '../src/compress/harness/compress-harness.test-support.ts';
import { f32, noise, tinyWeights, type TestTensors } from '../src/compress/harness/tiny-model.test-support.ts';
import { loadCore } from '../src/native/load-core.ts';
import { MemoryStore } from '../src/package/memory-store.test-support.ts';
import { chainLengthMax, gatheredBlocksMax, gatheringsMax } from '../src/package/format-limits.ts';
import { Dice, storeRandomRun } from '../src/restore/random-run.test-support.ts';
import {
  crossedFiles,
  crossedPackage,
  gatheringFiles,
  packageOf,
  packageOfFiles,
  type CrossedFile,
} from './crossed-packages.ts';

const core = loadCore();
const decoder = fileURLToPath(new URL('./decode_packages.py', import.meta.url));
const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url));
/** The decoder's exit statuses (examples/decode-package/README.md). */
const [decoded, damaged, unsupported] = [0, 3, 4];

const needs = 'python3 with numpy';
const runnable = spawnSync('python3', ['-c', 'import numpy']).status === 0;
if (!runnable) console.warn(`decode-package.test.ts: skipped, since there is no ${needs}.`);

describe.skipIf(!runnable)(
  `the decoder written from the documents alone${runnable ? '' : ` (skipped: no ${needs})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'firn-decoder-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    let program: ReturnType<typeof startDecoder>;
    beforeAll(() => {
      program = startDecoder();
    });
    afterAll(() => program.stop());
    let outputs = 0;

    /** Decodes a chain, base first. `digests`: digests of the written files, by path. */
    async function decode(packagePaths: readonly string[]): Promise<{
      status: number | null;
      said: string;
      digests: Record<string, string>;
    }> {
      const out = join(folder, `out-${outputs++}`);
      const outcome = await program.run(['--out', out, ...packagePaths]);
      const files = existsSync(out)
        ? readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
        : [];
      const found = files.map(({ parentPath, name }) => join(parentPath, name));
      return {
        ...outcome,
        digests: Object.fromEntries(found.map((path) => [path.slice(out.length + 1), digestOf(readFileSync(path))])),
      };
    }

    function stored(name: string, bytes: Uint8Array): string {
      const path = join(folder, name);
      writeFileSync(path, bytes);
      return path;
    }

    describe.each(['format-v1', 'format-v2', 'format-v4'])('over the packages of %s', (version) => {
      const expected = JSON.parse(readFileSync(join(fixtures, version, 'expected.json'), 'utf8')) as Record<
        string,
        Record<string, string>
      >;

      it.each(Object.entries(expected))('%s comes out as it always did', async (name, digests) => {
        const [run, step] = name.replace('.firn', '').split('-') as [string, string];
        const chain = Array.from({ length: Number(step) + 1 }, (_, i) => join(fixtures, version, `${run}-${i}.firn`));
        expect(await decode(chain)).toEqual({ status: decoded, said: '', digests });
      });
    });

    describe('over the masters of format-v5', () => {
      const fileOf = (name: string): string => join(fixtures, 'format-v5', name);
      const expected = JSON.parse(readFileSync(fileOf('expected.json'), 'utf8')) as {
        digests: Record<string, string>;
      }[];

      it.each([[[0]], [[0, 1]], [[0, 1, 2]], [[3]], [[3, 4]]])(
        'the last checkpoint of %j comes out as it always did',
        async (steps) => {
          const chain = steps.map((step) => fileOf(`masters-${step}.firn`));
          expect(await decode(chain)).toEqual({ status: decoded, said: '', digests: expected[steps.at(-1)!]!.digests });
        },
        60_000,
      );
    });

    describe('over the kept tensors of format-v6', () => {
      const fileOf = (name: string): string => join(fixtures, 'format-v6', name);
      const expected = JSON.parse(readFileSync(fileOf('expected.json'), 'utf8')) as {
        digests: Record<string, string>;
      }[];

      it.each([0, 1, 2, 3])(
        'checkpoint %i comes out as it always did',
        async (step) => {
          const chain = Array.from({ length: step + 1 }, (_, i) => fileOf(`kept-${i}.firn`));
          expect(await decode(chain)).toEqual({ status: decoded, said: '', digests: expected[step]!.digests });
        },
        60_000,
      );
    });

    describe('over the buckets of format-v7', () => {
      const fileOf = (name: string): string => join(fixtures, 'format-v7', name);
      const expected = JSON.parse(readFileSync(fileOf('expected.json'), 'utf8')) as {
        digests: Record<string, string>;
      }[];

      it.each([0, 1, 2, 3])(
        'checkpoint %i comes out as it always did',
        async (step) => {
          const chain = Array.from({ length: step + 1 }, (_, i) => fileOf(`buckets-${i}.firn`));
          expect(await decode(chain)).toEqual({ status: decoded, said: '', digests: expected[step]!.digests });
        },
        60_000,
      );

      it('refuses a delta to another ancestor than its own', async () => {
        expect(await decode([0, 2].map((step) => fileOf(`buckets-${step}.firn`)))).toMatchObject({
          status: damaged,
          digests: {},
        });
      });
    });

    describe('over the merged buckets of format-v9', () => {
      const chain = [join(fixtures, 'format-v7/buckets-0.firn'), join(fixtures, 'format-v9/buckets-1-to-3.firn')];
      const expected = JSON.parse(readFileSync(join(fixtures, 'format-v7/expected.json'), 'utf8')) as {
        packageId: string;
        digests: Record<string, string>;
      }[];

      it.each([1, 2, 3])(
        'checkpoint %i comes out as it always did',
        async (step) => {
          const { packageId, digests } = expected[step]!;
          expect(await decode([...chain, '--package', packageId])).toEqual({ status: decoded, said: '', digests });
        },
        60_000,
      );

      it('is refused when a byte has changed', async () => {
        const bytes = readFileSync(chain[1]!);
        bytes[400]! ^= 4;
        expect(await decode([chain[0]!, stored('changed.firn', bytes)])).toMatchObject({
          status: damaged,
          digests: {},
        });
      });
    });

    describe('over the bitmasks of format-v8', () => {
      const fileOf = (name: string): string => join(fixtures, 'format-v8', name);
      const expected = JSON.parse(readFileSync(fileOf('expected.json'), 'utf8')) as {
        digests: Record<string, string>;
      }[];

      it.each([[[0]], [[0, 1]], [[0, 2]], [[3]]])(
        'the last checkpoint of %j comes out as it always did',
        async (steps) => {
          const chain = steps.map((step) => fileOf(`bitmask-${step}.firn`));
          expect(await decode(chain)).toEqual({ status: decoded, said: '', digests: expected[steps.at(-1)!]!.digests });
        },
        60_000,
      );

      it('refuses a delta to another base than its own', async () => {
        expect(await decode([3, 1].map((step) => fileOf(`bitmask-${step}.firn`)))).toMatchObject({
          status: damaged,
          digests: {},
        });
      });
    });

    describe('over the optimizer state of format-v4-state', () => {
      const fileOf = (name: string): string => join(fixtures, 'format-v4-state', name);
      const expected = JSON.parse(readFileSync(fileOf('expected.json'), 'utf8')) as {
        digests: Record<string, string>;
      }[];

      it.each([[[0]], [[0, 1]], [[0, 1, 2]], [[3]]])(
        'the last checkpoint of %j comes out as it always did',
        async (steps) => {
          const chain = steps.map((step) => fileOf(`state-${step}.firn`));
          expect(await decode(chain)).toEqual({ status: decoded, said: '', digests: expected[steps.at(-1)!]!.digests });
        },
      );
    });

    describe('over the merged package of format-v3', () => {
      const folderOf = (name: string): string => join(fixtures, 'format-v3', name);
      const expected = JSON.parse(readFileSync(folderOf('expected.json'), 'utf8')) as {
        packageId: string;
        digests: Record<string, string>;
      }[];
      const chain = [folderOf('run-0.firn'), folderOf('run-1-to-3.firn')];

      it.each([1, 2, 3])('checkpoint %i comes out as it always did', async (step) => {
        const { packageId, digests } = expected[step]!;
        expect(await decode([...chain, '--package', packageId])).toEqual({ status: decoded, said: '', digests });
        if (step === 3) expect(await decode(chain)).toEqual({ status: decoded, said: '', digests });
      });

      it('is refused when a byte has changed, or another checkpoint is wanted than those it holds', async () => {
        const bytes = readFileSync(chain[1]!);
        bytes[40]! ^= 4;
        expect(await decode([chain[0]!, stored('changed.firn', bytes)])).toMatchObject({
          status: damaged,
          digests: {},
        });
        expect(await decode([...chain, '--package', 'ab'.repeat(16)])).toMatchObject({ status: damaged, digests: {} });
      });
    });

    it.each([
      ['kept', chainLengthMax],
      ['gathered', gatheringsMax],
    ] as const)(
      'a chain of as many packages as may be comes out, its tensors %s at every link',
      async (how, length) => {
        const chain = Array.from({ length }, (_, link) =>
          stored(`${how}-${link}.firn`, crossedPackage(core, link, how)),
        );
        const digests = Object.fromEntries(crossedFiles(length - 1).map(({ path, bytes }) => [path, digestOf(bytes)]));
        expect(await decode(chain)).toEqual({ status: decoded, said: '', digests });
      },
      60_000,
    );

    it('refuses a chain that gathers at more links than it may', async () => {
      const chain = Array.from({ length: gatheringsMax + 1 }, (_, link) =>
        stored(`gathered-${link}.firn`, crossedPackage(core, link, 'gathered')),
      );
      expect(await decode(chain)).toMatchObject({
        status: damaged,
        said: expect.stringContaining('gathered'),
        digests: {},
      });
    });

    it('gathers from so many blocks, and refuses one more', async () => {
      const chain = (count: number): string[] =>
        [0, 1].map((link) =>
          stored(`wide-${count}-${link}.firn`, packageOfFiles(core, link, gatheringFiles(link, count), 'gathered')),
        );
      const [{ path, bytes }] = gatheringFiles(1, gatheredBlocksMax) as [CrossedFile];
      expect(await decode(chain(gatheredBlocksMax))).toEqual({
        status: decoded,
        said: '',
        digests: { [path]: digestOf(bytes) },
      });
      expect(await decode(chain(gatheredBlocksMax + 1))).toMatchObject({
        status: damaged,
        said: expect.stringContaining('gathered'),
        digests: {},
      });
    });

    it.each([11, 12])('a chain of random levels and exact tensors comes out as it went in (seed %i)', async (seed) => {
      const store = new MemoryStore();
      const chain: string[] = [];
      const run = await storeRandomRun(new Dice(seed), core, store, { length: 3, large: seed === 11, tensorsMax: 8 });
      for (const [step, { location, files }] of run.entries()) {
        chain.push(stored(`random-${seed}-${step}.firn`, store.objects.get(location.key)!));
        expect(await decode(chain)).toEqual({
          status: decoded,
          said: '',
          digests: Object.fromEntries([...files].map(([path, bytes]) => [path, digestOf(bytes)])),
        });
      }
    });

    describe('over a chain that was just pushed', () => {
      let harness: CompressHarness;
      beforeAll(async () => {
        harness = await openCompressHarness();
      });
      afterAll(() => harness.close());

      it.each([
        ['residual', { method: 'residual', step: -50 }],
        ['lc-checkpoint', { method: 'lc-checkpoint', bits: 4 }],
        [
          'inshrinkerator',
          {
            method: 'inshrinkerator',
            bins: 12,
            embeddingBins: 16,
            pruneFraction: 0.3,
            pruneMetric: 'magnitude',
            protectFraction: 0.01,
          },
        ],
      ] as const)('gives what a download gives (method %s)', async (method, config) => {
        const run = await harness.newFixedRun(config);
        const paths = new Map<string, string>();
        for (const step of [0, 1, 2]) {
          const checkpoint = await harness.push(run, step, modelOf(await oddWeights(harness, step)));
          expect(checkpoint.result).toMatchObject({ kind: step === 0 ? 'base' : 'delta', fidelity: 'lossy' });
          paths.set(checkpoint.packageId!, stored(`${method}-${step}.firn`, await harness.packageBytes(checkpoint)));
          const chain = (await harness.catalog.packages.chain(checkpoint.packageId!))
            .map(({ id }) => paths.get(id)!)
            .reverse();
          const downloaded = await harness.download(checkpoint, 'model.safetensors');
          expect(await decode(chain)).toEqual({
            status: decoded,
            said: '',
            digests: { 'model.safetensors': digestOf(downloaded) },
          });
        }
      });
    });

    it('gives what a download gives of a run stored exactly, floats of every kind in large blocks', async () => {
      const harness = await openCompressHarness();
      try {
        const run = await harness.newRun({ fidelity: 'exact' });
        const chain: string[] = [];
        for (const step of [0, 1, 2]) {
          const checkpoint = await harness.push(run, step, modelOf(await wideWeights(harness, step)));
          expect(checkpoint.result).toMatchObject({ kind: step === 0 ? 'base' : 'delta', fidelity: 'exact' });
          chain.push(stored(`exact-${step}.firn`, await harness.packageBytes(checkpoint)));
          const downloaded = await harness.download(checkpoint, 'model.safetensors');
          expect(await decode(chain)).toEqual({
            status: decoded,
            said: '',
            digests: { 'model.safetensors': digestOf(downloaded) },
          });
        }
      } finally {
        await harness.close();
      }
    });

    describe('given a package that is not right', () => {
      const base = join(fixtures, 'format-v2/mixed-0.firn');
      const delta = join(fixtures, 'format-v2/mixed-1.firn');

      it.each([
        ['a byte of a payload', 30],
        ['a byte of the index', -40],
        ['the last byte', -1],
      ])('refuses it when %s has changed, and leaves no file', async (_, at) => {
        const bytes = readFileSync(delta);
        bytes[(at + bytes.length) % bytes.length]! ^= 4;
        const result = await decode([base, stored('changed.firn', bytes)]);
        expect(result).toMatchObject({ status: damaged, digests: {} });
        expect(result.said).toMatch(/^damaged package: .+\n$/);
      });

      it.each([
        ['without its ancestor', [delta]],
        ['after another package', [join(fixtures, 'format-v2/residual-0.firn'), delta]],
        ['after two bases', [base, base]],
      ])('refuses a chain %s', async (_, chain) => {
        expect(await decode(chain)).toMatchObject({ status: damaged, digests: {} });
      });

      it('says of a later version that it does not know it', async () => {
        const bytes = readFileSync(base);
        bytes[4] = 250;
        expect(await decode([stored('later.firn', bytes)])).toMatchObject({
          status: unsupported,
          said: expect.stringContaining('version 250'),
          digests: {},
        });
      });

      it.each(['bomb', 'huge-blob', 'huge-tensor', 'path-up'])(
        'refuses an index that asks for too much (%s) before it allocates or writes anything',
        async (name) => {
          const index = readFileSync(new URL(`./fuzz/corpus/package-index/corrupt-package.${name}`, import.meta.url));
          const bytes = packageOf(core, 'b'.repeat(32), 1, Buffer.alloc(0), index);
          expect(await decode([stored(`${name}.firn`, bytes)])).toMatchObject({ status: damaged, digests: {} });
        },
      );

      it.each([
        'copy-of-kept',
        'kept-in-a-base',
        'kept-of-a-blob',
        'kept-of-another-dtype',
        'kept-of-another-size',
        'kept-of-no-file',
        'kept-of-no-tensor',
      ])('refuses an index whose kept tensors are not right (%s)', async (name) => {
        const indexOf = (file: string): Buffer =>
          readFileSync(new URL(`./fuzz/corpus/package-index-v6/${file}`, import.meta.url));
        // As many bytes of payloads as the base's index announces.
        const base = stored(
          `base-of-${name}.firn`,
          packageOf(core, 'a'.repeat(32), 6, Buffer.alloc(21), indexOf('accepted.base')),
        );
        const bytes = packageOf(core, 'b'.repeat(32), 6, Buffer.alloc(0), indexOf(`corrupt-package.${name}`));
        expect(await decode([base, stored(`${name}.firn`, bytes)])).toMatchObject({
          status: damaged,
          said: expect.stringContaining('kept'),
          digests: {},
        });
      });

      it.each([
        'namesake-for-no-tensor',
        'namesake-of-another-dtype',
        'namesake-of-no-file',
        'namesake-of-no-tensor',
        'namesake-of-other-rows',
      ])('refuses an index whose namesakes are not right (%s)', async (name) => {
        const indexOf = (file: string): Buffer =>
          readFileSync(new URL(`./fuzz/corpus/package-index-v10/${file}`, import.meta.url));
        const base = stored(
          `base-of-${name}.firn`,
          packageOf(core, 'a'.repeat(32), 10, Buffer.alloc(15), indexOf('accepted.base')),
        );
        const bytes = packageOf(core, 'b'.repeat(32), 10, Buffer.alloc(0), indexOf(`corrupt-package.${name}`));
        expect(await decode([base, stored(`${name}.firn`, bytes)])).toMatchObject({
          status: damaged,
          said: expect.stringContaining('namesake'),
          digests: {},
        });
      });

      it('refuses what is no package at all, empty, or cut short', async () => {
        const cut = readFileSync(base).subarray(0, 500);
        for (const bytes of [Buffer.from('not a package, and longer than its frame would be'), Buffer.alloc(0), cut])
          expect(await decode([stored('other.firn', bytes)])).toMatchObject({ status: damaged, digests: {} });
      });
    });
  },
);

interface Outcome {
  readonly status: number;
  readonly said: string;
}

/** The example's program, in one process for all packages: starting Python takes longer than most of them. */
function startDecoder(): { run(args: readonly string[]): Promise<Outcome>; stop(): void } {
  // The C core is held to the same packages by clients/python/tests (python-client.test.ts).
  const env = { ...process.env, FIRN_CORE: 'numpy' };
  const child = spawn('python3', ['-B', decoder], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(args) {
      child.stdin.write(`${JSON.stringify(args)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`The decoder ended with ${child.exitCode}.`);
      return JSON.parse(value) as Outcome;
    },
    stop: () => child.stdin.end(),
  };
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * The tiny model, with halves, an outlier, a tensor of several blocks, integers and a tensor with values that are not
 * finite.
 */
async function oddWeights({ core }: CompressHarness, step: number): Promise<TestTensors> {
  const moved = (values: Float32Array): Float32Array =>
    values.map((value, i) => (i % 23 === step ? value + 0.4 : value));
  const half = await core.convert(new Uint8Array(moved(noise(600, 3)).buffer), 'F32', 'F16');
  const outliers = moved(noise(600, 4));
  outliers[9] = 500;
  return {
    ...tinyWeights(step),
    'half.weight': { dtype: 'F16', shape: [20, 30], data: half },
    'outliers.weight': f32([20, 30], outliers),
    'wide.weight': f32([350, 400], moved(noise(140_000, 5))),
    'diverged.weight': f32([4, 4], noise(16, 6).fill(Number.NaN, 1, 2)),
    'tokens.ids': { dtype: 'I32', shape: [3], data: Int32Array.of(step, 5, 7) },
  };
}

/**
 * The same values as binary32, binary16 and bfloat16, each in more than one block; few of the last ones change in a
 * step.
 */
async function wideWeights({ core }: CompressHarness, step: number): Promise<TestTensors> {
  const drift = noise(140_000, 8);
  const values = noise(140_000, 7).map((value, i) => value + 0.002 * step * drift[i]!);
  const few = noise(140_000, 7).map((value, i) => (i % 101 < step ? value * 1.01 : value));
  const converted = async (from: Float32Array, to: 'F16' | 'BF16') => ({
    dtype: to,
    shape: [350, 400],
    data: await core.convert(new Uint8Array(from.slice().buffer), 'F32', to),
  });
  return {
    ...tinyWeights(step),
    'wide.weight': f32([350, 400], values),
    'half.weight': await converted(values, 'F16'),
    'brain.weight': await converted(values, 'BF16'),
    'still.weight': await converted(few, 'BF16'),
  };
}
