import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadCore } from '../src/native/load-core.ts';
import { unpackPackages } from '../src/restore/unpack-packages.ts';

/**
 * A folder per format version: packages named `<run>-<step>.firn`, and the digests of their files. They stay readable
 * for ever.
 */
const versions = ['format-v1', 'format-v2', 'format-v4'];

describe.each(versions)('packages of %s', (version) => {
  const folder = fileURLToPath(new URL(`./fixtures/${version}/`, import.meta.url));

  it('decode to what they always decoded to', async () => {
    const core = loadCore();
    const expected = JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    expect(Object.keys(expected).sort()).toEqual(
      (await readdir(folder)).filter((name) => name.endsWith('.firn')).sort(),
    );
    for (const [name, digests] of Object.entries(expected)) {
      const [run, step] = name.replace('.firn', '').split('-') as [string, string];
      const packagePaths = Array.from({ length: Number(step) + 1 }, (_, i) => join(folder, `${run}-${i}.firn`));
      const outFolder = await mkdtemp(join(tmpdir(), 'firn-fixture-'));
      try {
        const unpacked = await unpackPackages({ core, packagePaths, outFolder });
        const found = await Promise.all(
          unpacked
            .filter(({ written }) => written)
            .map(
              async ({ file }) =>
                [
                  file.path,
                  createHash('sha256')
                    .update(await readFile(join(outFolder, file.path)))
                    .digest('hex'),
                ] as const,
            ),
        );
        expect(Object.fromEntries(found)).toEqual(digests);
      } finally {
        await rm(outFolder, { recursive: true });
      }
    }
  });
});
