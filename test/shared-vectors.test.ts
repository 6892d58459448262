import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadCore } from '../src/native/load-core.ts';
import { unpackPackages } from '../src/restore/unpack-packages.ts';

/** One chain of fixtures: packages in any order, which of their checkpoints, and where its digests are. */
interface Vector {
  readonly packages: readonly string[];
  readonly packageId?: string;
  /** A file, and the entry in it: its key, or its number. */
  readonly expected: readonly [string, string | number];
}

const folder = fileURLToPath(new URL('./fixtures/', import.meta.url));
const readJson = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const vectors = readJson('vectors.json') as readonly Vector[];

/** SHA-256 by path. */
type Digests = Readonly<Record<string, string>>;

function digestsOf({ expected: [file, entry] }: Vector): Digests {
  const found = (readJson(file) as Record<string | number, Digests | { readonly digests: Digests }>)[entry]!;
  return typeof found.digests === 'object' ? found.digests : (found as Digests);
}

describe('the vectors that Node, the C interface and numpy share (clients/python/tests/test_vectors.py)', () => {
  it.each(vectors.map((vector) => [vector.expected.join(' '), vector] as const))(
    'unpack gives the recorded files: %s',
    async (_, vector) => {
      const outFolder = await mkdtemp(join(tmpdir(), 'firn-vector-'));
      try {
        const packagePaths = vector.packages.map((name) => join(folder, name));
        const options = { core: loadCore(), packagePaths, packageId: vector.packageId, outFolder };
        const written = (await unpackPackages(options)).filter((unpacked) => unpacked.written);
        const found = await Promise.all(
          written.map(async ({ file: { path } }) => {
            const bytes = await readFile(join(outFolder, path));
            return [path, createHash('sha256').update(bytes).digest('hex')];
          }),
        );
        expect(Object.fromEntries(found)).toEqual(digestsOf(vector));
      } finally {
        await rm(outFolder, { recursive: true });
      }
    },
  );

  it('hold every package of the fixtures', () => {
    const packages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.firn'),
    );
    expect([...new Set(vectors.flatMap((vector) => vector.packages))].sort()).toEqual(packages.sort());
  });
});
