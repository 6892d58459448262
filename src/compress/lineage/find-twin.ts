import { isDeepStrictEqual } from 'node:util';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import type { PackageRecord } from '../../catalog/contract/storage/package-records.ts';
import type { DeviceKind } from '../../checkpoint/device-kind.ts';
import { ancestorCandidates, forkPoint, type AncestorCandidate } from '../ancestor/find-ancestor.ts';
import { runOfCheckpoint } from '../run-of-checkpoint.ts';

/** A stored checkpoint, with everything that an encode of another one would come to again. */
export interface Twin {
  readonly run: Run;
  readonly checkpoint: Checkpoint;
  readonly files: readonly CheckpointFile[];
  readonly package: PackageRecord;
}

export interface TwinSearch {
  readonly catalog: Catalog;
  /** The run as it applies to the checkpoint (`runOfCheckpoint`). */
  readonly run: Run;
  readonly checkpoint: Checkpoint;
  /** Its files as uploaded. */
  readonly rows: readonly CheckpointFile[];
  /** Ready checkpoints before it, nearest first. */
  readonly candidates: readonly AncestorCandidate[];
  /** What this checkpoint is measured on. */
  readonly device: DeviceKind;
}

/**
 * The checkpoint of the same step in the run that this one's was forked from, if its encode had the same inputs: the
 * same uploaded bytes, the same settings, the same checkpoints before it, the same kind of device. A training job that
 * resumes from a fork pushes such a checkpoint when it repeats a step. Undefined without one, for a base model's
 * checkpoint, whose result its fine-tune's readers may not know, and if a new encode would store some file in another
 * way: exact files become references to the twin's. Rejects with the catalog's errors.
 */
export async function findTwin(search: TwinSearch): Promise<Twin | undefined> {
  const { catalog, run, checkpoint, rows, candidates, device } = search;
  const fork = run.fidelity === 'lossy' ? await forkPoint(catalog, run) : undefined;
  if (fork?.run.repositoryId !== run.repositoryId) return undefined;
  const twin = await catalog.checkpoints.find(fork.run.id, checkpoint.step);
  if (twin?.state !== 'ready' || twin.packageId === undefined || twin.deletedAt !== undefined) return undefined;
  if (twin.sequence < fork.before || !isDeepStrictEqual(askedOf(run, checkpoint), askedOf(fork.run, twin)))
    return undefined;
  if ((twin.result?.measuredOn ?? device) !== device) return undefined;
  const files = await catalog.files.list(twin.id);
  if (!isDeepStrictEqual(uploadOf(rows), uploadOf(files)) || !files.every(isSearched)) return undefined;
  const before = await ancestorCandidates(catalog, fork.run, twin.sequence);
  if (!isDeepStrictEqual(before.map(idOf), candidates.map(idOf)) || !before.every((each) => endedBefore(each, twin)))
    return undefined;
  const stored = await catalog.packages.get(twin.packageId);
  // A merged package is no object of one checkpoint.
  if (stored === undefined || stored.mergedPackageId !== undefined) return undefined;
  return { run: fork.run, checkpoint: twin, files, package: stored };
}

/** What was asked of a checkpoint, by its run and with it. */
function askedOf(run: Run, checkpoint: Checkpoint): unknown {
  const { fidelity, evalSetId, thresholds, search, state, layerTypes } = runOfCheckpoint(run, checkpoint);
  const { fixedConfig, expects, final } = checkpoint;
  return { fidelity, evalSetId, thresholds, search, state, layerTypes, fixedConfig, expects, final };
}

function uploadOf(rows: readonly CheckpointFile[]): unknown {
  return rows
    .map(({ path, role, sizeBytes, sha256 }) => ({ path, role, sizeBytes, sha256 }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Gradients are never stored. Of other files the bytes have to come from the package, and to be other than uploaded.
 */
function isSearched({ role, storage, sha256, resultSha256 }: CheckpointFile): boolean {
  return role === 'sensitivity' || (storage === 'package' && sha256 !== undefined && resultSha256 !== sha256);
}

function idOf({ checkpoint }: AncestorCandidate): string {
  return checkpoint.id;
}

/** A checkpoint that was retried may have become ready only after its successor was encoded. */
function endedBefore({ checkpoint: { finishedAt } }: AncestorCandidate, twin: Checkpoint): boolean {
  return finishedAt !== undefined && twin.finishedAt !== undefined && finishedAt <= twin.finishedAt;
}
