import type { CheckpointFile, FileResultRecord } from '../catalog/contract/file-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { PackageFile } from '../package/package-index.ts';
import { readStoredIndex } from '../package/open-package.ts';
import { prefixBytes } from '../package/package-frame.ts';
import { writeFrame } from '../package/write-package.ts';
import type { ObjectReader } from '../store/object-store.ts';
import type { CompressedCheckpoint } from './compressed-checkpoint.ts';
import type { EncodeAttempt } from './encode-attempt.ts';
import { verifyPackage } from './encode/verify-package.ts';
import { isDamage } from './ancestor/open-ancestor.ts';
import type { Twin } from './lineage/find-twin.ts';

type Copying = Pick<
  EncodeAttempt,
  'catalog' | 'store' | 'core' | 'freshRestorer' | 'packageId' | 'packageKey' | 'signal'
>;

/**
 * Stores a checkpoint as its twin is stored: the same package under its own id. Nothing is searched or measured again:
 * the copy is decoded through the store, and has to give the twin's bytes, whose metrics are known. Undefined if the
 * twin's package is gone or damaged. Rejects with the errors of catalog and store.
 */
export async function copyTwin(copying: Copying, twin: Twin): Promise<CompressedCheckpoint | undefined> {
  const started = performance.now();
  try {
    const written = await copyPackage(copying, twin);
    const encodeSeconds = secondsSince(started);
    const copied = await verifyCopy(copying, twin, written);
    const result = twin.checkpoint.result!;
    const { kind, chainLength } = twin.package;
    const seconds = { encode: encodeSeconds, verify: secondsSince(started) - encodeSeconds };
    return {
      encoded: { written: { ...written, index: copied }, kind, chainLength },
      packageId: copying.packageId,
      packageKey: copying.packageKey,
      result: {
        ...result,
        ...(result.understood && { understood: [...result.understood, sentenceOf(twin)] }),
        storedBytes: written.object.storedBytes,
        trialCount: 0,
        seconds,
      },
      files: twin.files.filter(({ role }) => role !== 'sensitivity').map(resultOf),
    };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

async function copyPackage(
  { store, core, packageId, packageKey, signal }: Copying,
  { package: { key }, checkpoint }: Twin,
) {
  const reader = await store.open(key);
  try {
    const stored = await readStoredIndex(reader, core.crc32cSync, signal);
    if (stored.id !== checkpoint.packageId)
      throw new FirnError('corrupt-package', 'A stored package is of another checkpoint.', { detail: key });
    const end = stored.indexOffsetBytes;
    const { result: ancestorId, ...written } = await writeFrame(
      {
        ...{ store, key: packageKey, replace: true, crc32c: core.crc32cSync, signal },
        sizeMaxBytes: reader.sizeBytes,
      },
      {
        id: packageId,
        formatVersion: stored.formatVersion,
        payloads: bytesBefore(reader, end, signal),
        seal: async () => ({ indexBytes: stored.indexBytes, result: stored.ancestorId }),
      },
    );
    return { ...written, ancestorId };
  } finally {
    await reader.close();
  }
}

/** The payloads of a package as they lie, in pieces that have nothing to do with its blocks. */
async function* bytesBefore(reader: ObjectReader, endBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield* reader.stream(prefixBytes, endBytes, signal);
}

/** Decodes the copy with empty caches and compares it with the digests of the twin; its index. */
async function verifyCopy(
  { catalog, freshRestorer, packageId, packageKey, signal }: Copying,
  twin: Twin,
  { object, indexOffsetBytes, indexLengthBytes, ancestorId }: Awaited<ReturnType<typeof copyPackage>>,
) {
  const ancestors = ancestorId === undefined ? [] : await catalog.packages.chain(ancestorId);
  const location = { id: packageId, key: packageKey, sizeBytes: object.sizeBytes, indexOffsetBytes, indexLengthBytes };
  const chain = await freshRestorer().open([{ ...location, ancestorId }, ...ancestors], signal);
  try {
    const digests = new Map(twin.files.map(({ path, resultSha256 }) => [path, resultSha256]));
    const isTwins = ({ path, sha256 }: PackageFile): boolean => digests.get(path) === sha256;
    if (!chain.files.every(isTwins))
      throw new FirnError('corrupt-package', 'A copied package has other digests than its original.');
    await verifyPackage(chain, { signal });
    return chain.links[0]!.package.index;
  } finally {
    await chain.close();
  }
}

function resultOf({ path, resultSha256, resultBytes }: CheckpointFile): FileResultRecord {
  return { path, storage: 'package', resultSha256: resultSha256!, resultBytes: resultBytes! };
}

function sentenceOf({ run, checkpoint }: Twin): string {
  return (
    `This is ${run.name}@${checkpoint.step} again: the same files, settings and earlier checkpoints. Its config and ` +
    'its figures were taken over, and nothing was searched.'
  );
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1000;
}
