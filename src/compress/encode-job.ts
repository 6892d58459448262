import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Claim } from '../catalog/contract/work/job-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { fencedCatalog } from '../catalog/fenced-catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { Attributes } from '../telemetry/tracer.ts';
import { dropPackage, forgetStates } from './encode/drop-package.ts';
import { releaseStoredElsewhere } from './release-stored-elsewhere.ts';
import { compressCheckpoint } from './compress-checkpoint.ts';
import type { CompressedCheckpoint } from './compressed-checkpoint.ts';
import type { CompressContext } from './compress-context.ts';

/**
 * The outcome of an encode job, for the worker that ran it. `done`: the claim was completed in the transaction that
 * recorded the result.
 */
export type EncodeOutcome = { readonly kind: 'done' } | { readonly kind: 'defer'; readonly delayMs: number };

/** Wait for the checkpoint a run was forked from, in milliseconds. */
const parentWaitMs = 500;

/**
 * The handler of `encode` jobs: takes a queued checkpoint to ready. Repeatable at any point: a crash before the commit
 * leaves the checkpoint working and its staged bytes in place. A worker that has lost the claim writes nothing more
 * (`conflict`). Rejects with the failure; the worker retries, or ends the job and marks the checkpoint.
 */
export async function runEncodeJob(
  given: CompressContext,
  checkpointId: string,
  claim: Claim,
  signal: AbortSignal,
): Promise<EncodeOutcome> {
  const ctx = { ...given, catalog: fencedCatalog(given.catalog, claim) };
  const checkpoint = await ctx.catalog.checkpoints.get(checkpointId);
  if (checkpoint === undefined || isTerminal(checkpoint)) {
    await ctx.catalog.jobs.complete(claim);
    return { kind: 'done' };
  }
  signal.throwIfAborted();
  const run = (await ctx.catalog.runs.get(checkpoint.runId))!;
  if (!(await parentSettled(ctx.catalog, run))) return { kind: 'defer', delayMs: parentWaitMs };
  // What was asked of a last checkpoint while it waited counts.
  const begun =
    checkpoint.state === 'queued'
      ? await ctx.catalog.checkpoints.transition(checkpointId, ['queued'], 'working')
      : checkpoint;
  ctx.publish(checkpointId, { type: 'changed' });
  const rows = await ctx.catalog.files.list(checkpointId);
  const compressed = await compressCheckpoint(ctx, { checkpoint: begun, run, rows, attempt: claim.fence }, signal);
  try {
    await ctx.tracer.span('encode.commit', { attributes: resultOf(run, compressed) }, () =>
      commit(ctx, { checkpoint, compressed }, claim),
    );
  } catch (error) {
    // The commit was refused, so nothing refers to the package. After any other failure the commit may still have
    // succeeded; the collection of orphans checks that.
    if (error instanceof FirnError && error.code === 'conflict')
      await dropPackage(ctx, compressed.packageKey).catch(() => undefined);
    else forgetStates(ctx, compressed.packageKey);
    throw error;
  }
  ctx.publish(checkpointId, { type: 'changed' });
  return { kind: 'done' };
}

/** Attributes of a committed encode for metrics. */
function resultOf(run: Run, { result }: CompressedCheckpoint): Attributes {
  return {
    'firn.method': result.config?.method ?? 'exact',
    'firn.package.kind': result.kind,
    'firn.chain_length': result.chainLength,
    'firn.raw_bytes': result.rawBytes,
    'firn.stored_bytes': result.storedBytes,
    'firn.searched': run.fidelity === 'lossy',
    'firn.trials': result.trialCount,
  };
}

/**
 * Marks the checkpoint of a job that ended without a result, in the transaction that ends the job. Its raw bytes stay.
 */
export async function markEncodeEnded(
  tx: Catalog,
  checkpointId: string,
  ended: { readonly as: 'failed'; readonly error: FirnError } | { readonly as: 'cancelled' },
): Promise<void> {
  const reason = ended.as === 'failed' ? { errorCode: ended.error.code, errorMessage: ended.error.message } : {};
  await tx.checkpoints.transition(checkpointId, ['queued', 'working'], ended.as, { ...reason, finishedAt: new Date() });
}

/** One transaction makes the checkpoint ready and marks the objects that are no longer needed. */
async function commit(
  ctx: CompressContext,
  done: { checkpoint: Checkpoint; compressed: CompressedCheckpoint },
  claim: Claim,
): Promise<void> {
  const {
    checkpoint,
    compressed: { encoded, packageId, packageKey, result, files },
  } = done;
  const { index, object, indexOffsetBytes, indexLengthBytes } = encoded.written;
  await ctx.catalog.transaction(async (tx) => {
    // Whoever closes the run does so before or after this.
    await tx.runs.lock(checkpoint.runId);
    await tx.packages.create({
      id: packageId,
      checkpointId: checkpoint.id,
      key: packageKey,
      sizeBytes: object.sizeBytes,
      storedBytes: object.storedBytes,
      indexOffsetBytes,
      indexLengthBytes,
      kind: encoded.kind,
      chainLength: encoded.chainLength,
      ...(index.ancestorId === undefined ? {} : { ancestorId: index.ancestorId }),
    });
    await tx.files.setResults(checkpoint.id, files);
    await tx.checkpoints.transition(checkpoint.id, ['working'], 'ready', { result, packageId, finishedAt: new Date() });
    await releaseRaw(tx, done);
    await tx.jobs.complete(claim);
    await ctx.afterCommit?.(tx, checkpoint);
  });
}

/**
 * Releases raw objects: sensitivity files always; of an exact checkpoint, all files stored elsewhere; of a lossy one,
 * all but the model. The model stays while this is the run's newest checkpoint that is ready and not deleted, and the
 * run is open. A retried
 * checkpoint may become ready after newer ones of its run.
 */
async function releaseRaw(
  tx: Catalog,
  { checkpoint, compressed: { result, files } }: { checkpoint: Checkpoint; compressed: CompressedCheckpoint },
): Promise<void> {
  const elsewhere = new Set(files.filter((file) => file.storage !== 'raw').map((file) => file.path));
  const rows = await tx.files.list(checkpoint.id);
  const { runId, sequence } = checkpoint;
  const isClosed = (await tx.runs.get(runId))?.closedAt !== undefined;
  const keepsModel = result.fidelity !== 'exact' && !isClosed && !(await tx.checkpoints.hasNewerReady(runId, sequence));
  const now = rows.filter(
    (row) => row.role === 'sensitivity' || (elsewhere.has(row.path) && (row.role !== 'model' || !keepsModel)),
  );
  await tx.files.releaseRaw(
    checkpoint.id,
    now.map((row) => row.path),
  );
  // A deleted checkpoint may have retained raw files for a reference, while the live one before it retained its model.
  // So both are released.
  const previous = [
    await tx.checkpoints.previousReady(runId, sequence),
    await tx.checkpoints.previousReady(runId, sequence, { live: true }),
  ];
  for (const id of new Set(previous.flatMap((each) => each?.id ?? []))) await releaseStoredElsewhere(tx, id);
}

function isTerminal(checkpoint: Checkpoint): boolean {
  return checkpoint.state === 'ready' || checkpoint.state === 'failed' || checkpoint.state === 'cancelled';
}

async function parentSettled(catalog: Catalog, run: Run): Promise<boolean> {
  const parent =
    run.parentCheckpointId === undefined ? undefined : await catalog.checkpoints.get(run.parentCheckpointId);
  return parent === undefined || isTerminal(parent);
}
