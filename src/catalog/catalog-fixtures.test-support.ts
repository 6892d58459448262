import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { FirnError, type FirnErrorCode } from '../checkpoint/firn-error.ts';
import { defaultSearchOptions } from '../checkpoint/options/search-options.ts';
import type { Catalog } from './contract/catalog.ts';
import type { Checkpoint, CheckpointResult } from './contract/checkpoint-records.ts';
import type { EvalSet } from './contract/eval-set-records.ts';
import type { PackageRecord } from './contract/storage/package-records.ts';
import type { Repository } from './contract/repository-records.ts';
import type { Run } from './contract/run-records.ts';

/** A name nobody else uses. */
export function freshName(): string {
  return `n${randomUUID().slice(0, 12)}`;
}

export function freshPackageId(): string {
  return randomUUID().replaceAll('-', '');
}

export function makeRepository(catalog: Catalog): Promise<Repository> {
  return catalog.repositories.create({ namespace: 'ns', name: freshName(), type: 'model' });
}

export async function makeEvalSet(catalog: Catalog, repository?: Repository): Promise<EvalSet> {
  const { id } = repository ?? (await makeRepository(catalog));
  return catalog.evalSets.create({
    repositoryId: id,
    name: freshName(),
    spec: { inputs: { x: 'x' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] },
  });
}

export async function makeRun(catalog: Catalog, set: Partial<Run> = {}): Promise<Run> {
  const repositoryId = set.repositoryId ?? (await makeRepository(catalog)).id;
  return catalog.runs.create({
    name: freshName(),
    fidelity: 'lossy',
    thresholds: { loss: 0.05 },
    search: defaultSearchOptions,
    seed: '18446744073709551615',
    layerTypes: {},
    ...set,
    repositoryId,
  });
}

export async function makeCheckpoint(catalog: Catalog, run?: Run, step = 0): Promise<Checkpoint> {
  return catalog.checkpoints.reserve({ runId: (run ?? (await makeRun(catalog))).id, step });
}

/** A ready checkpoint with a package, a delta to `ancestor` when given. */
export async function makeReady(
  catalog: Catalog,
  run: Run,
  step: number,
  ancestor?: PackageRecord,
  result?: CheckpointResult,
): Promise<{ checkpoint: Checkpoint; package: PackageRecord }> {
  const { id } = await makeCheckpoint(catalog, run, step);
  await catalog.checkpoints.transition(id, ['open'], 'queued');
  await catalog.checkpoints.transition(id, ['queued'], 'working');
  const record = await catalog.packages.create({
    id: freshPackageId(),
    checkpointId: id,
    key: `packages/${freshName()}`,
    sizeBytes: 10,
    storedBytes: 11,
    indexOffsetBytes: 4,
    indexLengthBytes: 5,
    kind: ancestor === undefined ? 'base' : 'delta',
    chainLength: 1 + (ancestor?.chainLength ?? 0),
    ...(ancestor && { ancestorId: ancestor.id }),
  });
  return {
    checkpoint: await catalog.checkpoints.transition(id, ['working'], 'ready', {
      packageId: record.id,
      ...(result && { result }),
    }),
    package: record,
  };
}

/** Passes when the promise rejects with a FirnError of the code, and returns it. */
export async function expectCode(promise: Promise<unknown>, code: FirnErrorCode): Promise<FirnError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(FirnError);
  expect((error as FirnError).code).toBe(code);
  return error as FirnError;
}
