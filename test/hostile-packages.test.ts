import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirnError } from '../src/checkpoint/firn-error.ts';
import { memoryReader } from '../src/compress/harness/memory-source.test-support.ts';
import { loadCore } from '../src/native/load-core.ts';
import { readStoredIndex } from '../src/package/open-package.ts';
import type { PackageIndex } from '../src/package/package-index.ts';
import {
  exponentMax,
  exponentMin,
  gainMax,
  originMax,
  shiftMax,
  stepCodeMax,
  stepScaleMax,
  type ResidualTensor,
} from '../src/package/residual-tensor.ts';
import { ByteCache } from '../src/restore/byte-cache.ts';
import { PackageChain } from '../src/restore/chain/package-chain.ts';
import { changeBytes } from './change-bytes.ts';
import {
  openChain,
  packageSource,
  payloadsOf,
  withBody,
  withIndex,
  withPayload,
  type OpenedPackage,
} from './reseal-package.ts';

const core = loadCore();
const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`./fixtures/format-v2/${name}.firn`, import.meta.url)));
/** A base of levels and two deltas of levels, residuals and exact blocks. */
const chain = await openChain(core, ['mixed-0', 'mixed-1', 'mixed-2'].map(read));
const whole = chain.map(({ bytes }) => bytes);

/** The decoder refuses the package, or decodes bytes with a wrong digest, which `unpackPackages` refuses too. */
type Damage = 'refused' | 'other bytes';
type Outcome = Damage | { readonly digests: Readonly<Record<string, string>> };

/** The newest package's files, or the reason for the failure. Fails on errors other than those of damaged packages. */
async function restored(packages: readonly Uint8Array[]): Promise<Outcome> {
  try {
    const links = await Promise.all(
      packages.map(async (bytes) => ({
        ...(await readStoredIndex(packageSource(bytes), core.crc32cSync)),
        open: async () => memoryReader(bytes),
      })),
    );
    const nothingKept = { core, indexes: new ByteCache<never>(0), blocks: new ByteCache<never>(0) };
    const opened = await PackageChain.open(
      nothingKept,
      links.map(({ id, ancestorId, open }) => ({ id, ancestorId, open })).reverse(),
    );
    const digests: Record<string, string> = {};
    for (const file of opened.files) {
      if (file.content.type === 'external') continue;
      const digest = createHash('sha256');
      for await (const piece of opened.file(file.path).stream(0, undefined)) digest.update(piece);
      digests[file.path] = digest.digest('hex');
      if (digests[file.path] !== file.sha256) return 'other bytes';
    }
    await opened.close();
    return { digests };
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    expect(['corrupt-package', 'unsupported-format'], `${error.code}: ${error.message} ${error.detail}`).toContain(
      error.code,
    );
    return 'refused';
  }
}

const sound = (await restored(whole)) as Exclude<Outcome, Damage>;

const link = fc.nat({ max: chain.length - 1 });

const replaced = (number: number, bytes: Uint8Array): Uint8Array[] =>
  whole.map((other, i) => (i === number ? bytes : other));

describe('a package of version 2', () => {
  it('is restored whole', () => {
    expect(Object.keys(sound.digests)).toHaveLength(5);
  });

  it('with any byte changed gives the same files, where the byte is not needed, or is damaged', async () => {
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        link,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 1, max: 255 }),
        async (number, at, flip) => {
          const bytes = whole[number]!.slice();
          bytes[Math.floor(at * bytes.length)]! ^= flip;
          const outcome = await restored(replaced(number, bytes));
          outcomes.add(outcome === 'refused' ? outcome : 'same');
          if (outcome !== 'refused') expect(outcome).toEqual(sound);
        },
      ),
      { numRuns: 400 },
    );
    expect(outcomes).toContain('refused');
  });

  it('with a payload changed and its checksum put right is damaged, or the change means nothing', async () => {
    await fc.assert(
      fc.asyncProperty(link, fc.nat(), changeBytes, async (number, block, edit) => {
        const blocks = payloadsOf(chain[number]!.index).length;
        const outcome = await restored(
          replaced(
            number,
            withPayload(core, chain[number]!, block % blocks, (payload) =>
              payload.length > 0 ? edit(payload) : payload,
            ),
          ),
        );
        if (typeof outcome !== 'string') expect(outcome).toEqual(sound);
      }),
      { numRuns: 400 },
    );
  });

  it('with its index changed and resealed is damaged, or its files have the digests it names', async () => {
    await fc.assert(
      fc.asyncProperty(link, changeBytes, async (number, edit) => {
        await restored(replaced(number, withBody(core, chain[number]!, edit)));
      }),
      { numRuns: 600 },
    );
  });

  it('with its context tables changed and the checksum put right is damaged, or they mean the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(1, 2), changeBytes, async (number, edit) => {
        const { index } = chain[number]!;
        const tables = edit(index.residual!.tables);
        fc.pre(tables.length > 0);
        const outcome = await restored(
          replaced(number, withIndex(core, chain[number]!, { ...index, residual: { ...index.residual!, tables } })),
        );
        if (typeof outcome !== 'string') expect(outcome).toEqual(sound);
      }),
      { numRuns: 300 },
    );
  });
});

/** The package's index with `edit` applied to the record of every residual tensor. */
function withRecords({ index }: OpenedPackage, edit: (record: ResidualTensor) => ResidualTensor): PackageIndex {
  const files = index.files.map((file) => {
    if (file.content.type !== 'safetensors' || file.content.residuals === undefined) return file;
    const residuals = new Map([...file.content.residuals].map(([tensor, record]) => [tensor, edit(record)]));
    return { ...file, content: { ...file.content, residuals } };
  });
  return { ...index, files };
}

describe('lattice parameters of a hostile package', () => {
  const [, first, second] = chain as [OpenedPackage, OpenedPackage, OpenedPackage];

  it.each<[string, Partial<ResidualTensor>]>([
    ['an exponent too small', { exponent: exponentMin - 1 }],
    ['an exponent too large', { exponent: exponentMax + 1 }],
    ['an origin too large', { origin: originMax + 1 }],
    ['an origin too small', { origin: -originMax - 1 }],
    ['a step code too large', { stepCode: stepCodeMax + 1 }],
    ['a step code below zero', { stepCode: -1 }],
    ['a gain too large', { gain: gainMax + 1 }],
    ['a gain below zero', { gain: -1 }],
  ])('are damage where they have %s', async (_, wrong) => {
    expect(
      await restored(
        replaced(
          1,
          withIndex(
            core,
            first,
            withRecords(first, (record) => ({ ...record, ...wrong })),
          ),
        ),
      ),
    ).toBe('refused');
  });

  it.each([shiftMax + 1, 60, 1000])('are damage where they have a shift of %i', async (shift) => {
    expect(
      await restored(
        replaced(
          2,
          withIndex(
            core,
            second,
            withRecords(second, (record) => ({ ...record, shift })),
          ),
        ),
      ),
    ).toBe('refused');
  });

  it.each([
    { vectors: stepScaleMax + 1, matrices: 0 },
    { vectors: 0, matrices: -stepScaleMax - 1 },
  ])('are damage where they have step scales of $vectors and $matrices', async (scales) => {
    const { index } = first;
    expect(
      await restored(replaced(1, withIndex(core, first, { ...index, residual: { ...index.residual!, scales } }))),
    ).toBe('refused');
  });

  it('move states out of the lattice: damage, not a failure of the core', async () => {
    // Every state is repeated fifteen times.
    const { index } = second;
    const bytes = withIndex(
      core,
      second,
      withRecords(second, (record) => ({ ...record, shift: shiftMax })),
    );
    expect(index.residual).toBeDefined();
    expect(await restored(replaced(2, bytes))).toBe('refused');
  });

  it('inside their ranges give files or damage, whatever they are', async () => {
    const numbers = fc.record({
      exponent: fc.integer({ min: exponentMin, max: exponentMax }),
      origin: fc.integer({ min: -originMax, max: originMax }),
      stepCode: fc.integer({ min: 0, max: stepCodeMax }),
      offsets: fc.tuple(fc.integer({ min: -8, max: 7 }), fc.integer({ min: -8, max: 7 })),
      gain: fc.integer({ min: 0, max: gainMax }),
    });
    const scale = fc.integer({ min: -stepScaleMax, max: stepScaleMax });
    await fc.assert(
      fc.asyncProperty(
        fc.array(numbers, { minLength: 1, maxLength: 9 }),
        fc.record({ vectors: scale, matrices: scale }),
        async (records, scales) => {
          let next = 0;
          const index = withRecords(first, (record) => ({ ...record, ...records[next++ % records.length]! }));
          await restored(
            replaced(1, withIndex(core, first, { ...index, residual: { ...index.residual!, scales } })).slice(0, 2),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});
