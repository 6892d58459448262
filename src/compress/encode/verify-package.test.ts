import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectCode } from '../../catalog/catalog-fixtures.test-support.ts';
import type { PackageChain } from '../../restore/chain/package-chain.ts';
import type { RestoredFile } from '../../restore/chain/restored-file.ts';
import {
  collect,
  modelOf,
  openCompressHarness,
  type CompressHarness,
} from '../harness/compress-harness.test-support.ts';
import { tinyWeights } from '../harness/tiny-model.test-support.ts';
import { checksumBytes, verifyPackage } from './verify-package.ts';

const path = 'model.safetensors';
let harness: CompressHarness;
let chain: PackageChain;
let rebuilt: Buffer;
beforeAll(async () => {
  harness = await openCompressHarness();
  const { packageId } = await harness.push(
    await harness.newFixedRun({ method: 'residual', step: -32 }),
    0,
    modelOf(tinyWeights(0)),
  );
  chain = await harness
    .context()
    .freshRestorer()
    .open(await harness.catalog.packages.chain(packageId!));
  rebuilt = await collect(chain.file(path).passing());
});
afterAll(async () => {
  await chain.close();
  await harness.close();
});

/** The bytes in one piece, or in as many as there are bytes. */
async function* inPieces(bytes: Uint8Array, pieceBytes = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

const crc32c = (...args: Parameters<typeof harness.core.crc32cSync>): number => harness.core.crc32cSync(...args);
const expecting = async (bytes: Uint8Array) => ({
  expected: { checksums: new Map([[path, await checksumBytes(inPieces(bytes), crc32c)]]), crc32c },
});

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at]! ^= 1;
  return copy;
}

test('checksums depend on the bytes alone', async () => {
  const whole = await checksumBytes(inPieces(rebuilt), crc32c);
  expect(await checksumBytes(inPieces(rebuilt, 7), crc32c)).toEqual(whole);
  expect(await checksumBytes(inPieces(flipped(rebuilt, rebuilt.length - 1)), crc32c)).not.toEqual(whole);
  expect(await checksumBytes(inPieces(rebuilt.subarray(1)), crc32c)).not.toEqual(whole);
});

describe('a package', () => {
  test('that decodes to the encoded bytes passes by digests and by checksums', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'firn-verify-'));
    try {
      const keep = new Map([[path, join(directory, 'model')]]);
      await verifyPackage(chain);
      await verifyPackage(chain, { keep, ...(await expecting(rebuilt)) });
      expect((await readFile(keep.get(path)!)).equals(rebuilt)).toBe(true);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test.each([0, 8, 4000])('that decodes to another byte at %d is refused', async (at) => {
    await expectCode(verifyPackage(chain, await expecting(flipped(rebuilt, at))), 'corrupt-package');
    const wrong: Pick<RestoredFile, 'passing'> = { passing: () => inPieces(flipped(rebuilt, at)) };
    await expectCode(verifyPackage({ files: chain.files, file: () => wrong as RestoredFile }), 'corrupt-package');
  });

  test('that decodes to fewer bytes is refused', async () => {
    await expectCode(verifyPackage(chain, await expecting(rebuilt.subarray(0, -1))), 'corrupt-package');
  });
});

test('a checkpoint whose stored package decodes to another byte does not become ready', async () => {
  const restorer = harness.context().freshRestorer();
  const ctx = harness.context({
    freshRestorer: () =>
      Object.assign(Object.create(restorer) as typeof restorer, {
        open: async (...args: Parameters<typeof restorer.open>) => {
          const opened = await restorer.open(...args);
          const wrong = { passing: () => inPieces(flipped(rebuilt, 100)) };
          return { files: opened.files, file: () => wrong, close: () => opened.close() };
        },
      }),
  });
  const { id } = await harness.queue(
    await harness.newFixedRun({ method: 'residual', step: -32 }),
    0,
    modelOf(tinyWeights(0)),
  );
  await expectCode(harness.work(ctx), 'corrupt-package');
  expect((await harness.checkpoint(id)).state).toBe('working');
  await harness.work();
  expect((await harness.checkpoint(id)).state).toBe('ready');
});
