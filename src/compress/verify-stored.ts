import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { restoreToFile } from '../restore/restore-to-file.ts';
import type { EncodeAttempt } from './encode-attempt.ts';
import type { PreparedModel } from './prepare-model.ts';
import { measurementOf, type MeasuredTrial } from './measure/measured-trials.ts';
import type { Measurement } from './measure/quality-gate.ts';
import type { StoredCheckpoint } from './store-checkpoint.ts';
import { verifyPackage } from './encode/verify-package.ts';

export interface ToVerify {
  readonly stored: StoredCheckpoint;
  /** The trial of the stored config, if this attempt had one. */
  readonly trial?: MeasuredTrial | undefined;
}

/**
 * Decodes the written package through the store with empty caches, compares it with what was encoded, and returns the
 * measurement of the bytes that a download will return. If these equal the uploaded bytes, that is the baseline; if
 * they equal the files that a trial was evaluated on, the trial's; otherwise the decoded files are evaluated. Undefined
 * without an eval set. Rejects with the errors of `verifyPackage` and of evaluation.
 */
export async function verifyStored(
  attempt: Pick<
    EncodeAttempt,
    'catalog' | 'core' | 'freshRestorer' | 'source' | 'packageKey' | 'modelDirectory' | 'signal'
  >,
  { quality }: PreparedModel,
  { stored, trial }: ToVerify,
): Promise<Measurement | undefined> {
  const { catalog, core, freshRestorer, source, signal } = attempt;
  const directory = join(attempt.modelDirectory, 'decoded');
  const { index } = stored.written;
  const ancestors = index.ancestorId === undefined ? [] : await catalog.packages.chain(index.ancestorId);
  const chain = await freshRestorer().open([packageLocation(attempt.packageKey, stored), ...ancestors], signal);
  try {
    const known = stored.lossy ? trial && measurementOf(trial, source.files, stored.sha256) : baselineOf(quality);
    const measures = quality !== undefined && known === undefined;
    const models = measures ? modelPaths(source, directory) : new Map<string, string>();
    if (measures) await mkdir(directory);
    await verifyPackage(chain, {
      keep: models,
      expected: { checksums: stored.checksums, crc32c: core.crc32cSync },
      signal,
    });
    if (!measures) return known;
    await writeExternal(attempt, stored, models);
    return await quality.gate.evaluateAll([...models.values()], signal);
  } finally {
    await chain.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function baselineOf(quality: PreparedModel['quality']): Measurement | undefined {
  return quality && { whole: quality.bound.baseline, ...(quality.observed && { observed: quality.observed }) };
}

function packageLocation(
  key: string,
  { written: { index, object, indexOffsetBytes, indexLengthBytes } }: StoredCheckpoint,
) {
  return {
    id: index.id,
    key,
    sizeBytes: object.sizeBytes,
    indexOffsetBytes,
    indexLengthBytes,
    ancestorId: index.ancestorId,
  };
}

/** Paths for the decoded model files of the checkpoint. */
function modelPaths({ files }: EncodeAttempt['source'], directory: string): Map<string, string> {
  const models = files.filter((file) => file.role === 'model');
  return new Map(models.map((file, number) => [file.path, join(directory, `${number}.safetensors`)]));
}

/** Writes model files that stay raw objects: the evaluation needs them too. */
async function writeExternal(
  { source, signal }: Pick<EncodeAttempt, 'source' | 'signal'>,
  { external }: StoredCheckpoint,
  models: ReadonlyMap<string, string>,
): Promise<void> {
  for (const number of external) {
    const { path, reader, sizeBytes } = source.files[number]!;
    const to = models.get(path);
    if (to !== undefined) await restoreToFile(reader.stream(0, sizeBytes, signal), to);
  }
}
