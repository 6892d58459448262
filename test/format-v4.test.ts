import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadCore } from '../src/native/load-core.ts';
import { decodeStoredIndex, readStoredIndex } from '../src/package/open-package.ts';
import type { PackageIndex } from '../src/package/package-index.ts';
import { packageSource } from './reseal-package.ts';

const core = loadCore();
const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`./fixtures/format-v4/${name}.firn`, import.meta.url)));

async function indexes(): Promise<PackageIndex[]> {
  const found: PackageIndex[] = [];
  for (const step of [0, 1])
    found.push(
      decodeStoredIndex(await readStoredIndex(packageSource(read(`copies-${step}`)), core.crc32cSync), found.at(-1)),
    );
  return found;
}

describe('the packages of format version 4', () => {
  it('hold copies of residual and exact tensors, in their own file and in others, that come and go', async () => {
    const copies = (await indexes()).map(({ formatVersion, files }) => {
      expect(formatVersion).toBe(4);
      return files.map(({ content }) =>
        content.type === 'safetensors'
          ? content.codings.map((coding) => (coding.kind === 'copy' ? `${coding.file}.${coding.tensor}` : coding.kind))
          : [],
      );
    });
    expect(copies).toEqual([
      [
        ['residual', 'residual', '0.0', '0.1'],
        ['exact', 'exact', 'exact', '1.0', '1.1', 'exact'],
        ['1.2', '1.1', '1.0'],
      ],
      [
        ['residual', 'residual', 'residual', '0.1'],
        ['exact', 'exact', 'exact', '1.0', '1.1', '1.1'],
        ['1.2', '1.1', '1.0'],
      ],
    ]);
  });
});
