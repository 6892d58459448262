import type { Catalog, Checkpoint, Claim, Run } from '../catalog/catalog.ts';
import { FirnError, type FirnErrorCode } from '../checkpoint/firn-error.ts';
import { compressCheckpoint, type CompressedCheckpoint } from './compress-checkpoint.ts';
import type { CompressContext } from './compress-context.ts';

/** How an encode job ended, for the worker that ran it. `done`: the claim was completed in the transaction that recorded the result. */
export type EncodeOutcome = { readonly kind: 'done' } | { readonly kind: 'defer'; readonly delayMs: number };

/** Wait for the checkpoint a run was forked from, in milliseconds. */
const parentWaitMs = 500;

/** Errors that another try would meet again: the upload or the eval set is at fault, not the moment. */
const permanentCodes: ReadonlySet<FirnErrorCode> = new Set([
  'header-truncated', 'header-too-large', 'header-invalid', 'tensor-overlap', 'tensor-gap', 'tensor-size-mismatch', 'tensor-duplicate', 'dtype-unknown',
  'not-safetensors', 'layout-mismatch', 'graph-invalid', 'graph-external-data', 'graph-missing-weights', 'eval-input-mismatch', 'eval-label-mismatch',
  'eval-timeout', 'eval-memory', 'eval-crashed', 'eval-set-not-ready', 'metric-unknown', 'invalid-request', 'corrupt-object', 'corrupt-package', 'unsupported-format',
]);

/**
 * The handler of `encode` jobs: takes a queued checkpoint to ready, or to failed with a reason and its raw bytes kept. Repeatable at any point: a
 * crash before the commit leaves the checkpoint working and its staged bytes in place. Rejects for errors worth another try.
 */
export async function runEncodeJob(ctx: CompressContext, checkpointId: string, claim: Claim, signal: AbortSignal): Promise<EncodeOutcome> {
  const checkpoint = await ctx.catalog.checkpoints.get(checkpointId);
  if (checkpoint === undefined || isTerminal(checkpoint)) {
    await ctx.catalog.jobs.complete(claim);
    return { kind: 'done' };
  }
  const run = (await ctx.catalog.runs.get(checkpoint.runId))!;
  if (!(await parentSettled(ctx.catalog, run))) return { kind: 'defer', delayMs: parentWaitMs };
  if (checkpoint.state === 'queued') await ctx.catalog.checkpoints.transition(checkpointId, ['queued', 'working'], 'working');
  ctx.publish(checkpointId, { type: 'changed' });
  try {
    const rows = await ctx.catalog.files.list(checkpointId);
    const compressed = await compressCheckpoint(ctx, { checkpoint, run, rows }, signal);
    await commit(ctx, { checkpoint, run, compressed }, claim);
  } catch (error) {
    if (signal.aborted || !isPermanent(error)) throw error;
    await settleFailed(ctx, checkpointId, error, claim);
  }
  ctx.publish(checkpointId, { type: 'changed' });
  return { kind: 'done' };
}

/** Marks a checkpoint failed whose job ended without a result: tries or leases used up. Its raw bytes stay. */
export async function markEncodeFailed(ctx: Pick<CompressContext, 'catalog' | 'publish'>, checkpointId: string, error: unknown): Promise<void> {
  const checkpoint = await ctx.catalog.checkpoints.get(checkpointId);
  if (checkpoint === undefined || isTerminal(checkpoint)) return;
  await ctx.catalog.checkpoints.transition(checkpointId, ['queued', 'working'], 'failed', failure(error));
  ctx.publish(checkpointId, { type: 'changed' });
}

/** Marks a checkpoint cancelled when its job was; its raw bytes stay until it is deleted. */
export async function markEncodeCancelled(ctx: Pick<CompressContext, 'catalog' | 'publish'>, checkpointId: string, claim: Claim): Promise<void> {
  await ctx.catalog.transaction(async (tx) => {
    const checkpoint = await tx.checkpoints.get(checkpointId);
    if (checkpoint !== undefined && !isTerminal(checkpoint)) await tx.checkpoints.transition(checkpointId, ['queued', 'working'], 'cancelled', { finishedAt: new Date() });
    await tx.jobs.cancelled(claim);
  });
  ctx.publish(checkpointId, { type: 'changed' });
}

/** One transaction makes the checkpoint ready; objects nobody needs any more go after it. */
async function commit(ctx: CompressContext, done: { checkpoint: Checkpoint; run: Run; compressed: CompressedCheckpoint }, claim: Claim): Promise<void> {
  const { checkpoint, compressed: { encoded, packageId, packageKey, result, files } } = done;
  const { index, object, indexOffsetBytes, indexLengthBytes } = encoded.written;
  const released = await ctx.catalog.transaction(async (tx) => {
    await tx.packages.create({
      id: packageId, checkpointId: checkpoint.id, key: packageKey, sizeBytes: object.sizeBytes, storedBytes: object.storedBytes, indexOffsetBytes, indexLengthBytes,
      kind: encoded.kind, chainLength: encoded.chainLength, ...(index.ancestorId === undefined ? {} : { ancestorId: index.ancestorId }),
    });
    await tx.files.setResults(checkpoint.id, files);
    await tx.checkpoints.transition(checkpoint.id, ['working'], 'ready', { result, packageId, finishedAt: new Date() });
    const keys = await releaseRaw(tx, done);
    await tx.jobs.complete(claim);
    return keys;
  });
  for (const key of released) await ctx.store.delete(key).catch(() => undefined);
}

/**
 * Which raw objects go: sensitivity always; of an exact checkpoint all that the package holds; of a lossy one all but the model, which stays while
 * this is the run's newest ready checkpoint. A failed delete leaves an object that the sweep of staged objects finds.
 */
async function releaseRaw(tx: Catalog, { checkpoint, compressed: { result, files } }: { checkpoint: Checkpoint; compressed: CompressedCheckpoint }): Promise<string[]> {
  const inPackage = new Set(files.filter((file) => file.storage === 'package').map((file) => file.path));
  const rows = await tx.files.list(checkpoint.id);
  const now = rows.filter((row) => row.role === 'sensitivity' || (inPackage.has(row.path) && (row.role !== 'model' || result.fidelity === 'exact')));
  const keys = await tx.files.releaseRaw(checkpoint.id, now.map((row) => row.path));
  const previous = await tx.checkpoints.previousReady(checkpoint.runId, checkpoint.sequence);
  if (previous === undefined) return keys;
  const older = (await tx.files.list(previous.id)).filter((row) => row.rawKey !== undefined && row.storage === 'package');
  return [...keys, ...(await tx.files.releaseRaw(previous.id, older.map((row) => row.path)))];
}

async function settleFailed(ctx: CompressContext, checkpointId: string, error: unknown, claim: Claim): Promise<void> {
  await ctx.catalog.transaction(async (tx) => {
    await tx.checkpoints.transition(checkpointId, ['queued', 'working'], 'failed', failure(error));
    await tx.jobs.complete(claim);
  });
}

function failure(error: unknown) {
  const known = error instanceof FirnError;
  return { errorCode: known ? error.code : 'internal', errorMessage: known ? error.message : 'The checkpoint could not be compressed.', finishedAt: new Date() } as const;
}

function isPermanent(error: unknown): boolean {
  return error instanceof FirnError && permanentCodes.has(error.code);
}

function isTerminal(checkpoint: Checkpoint): boolean {
  return checkpoint.state === 'ready' || checkpoint.state === 'failed' || checkpoint.state === 'cancelled';
}

async function parentSettled(catalog: Catalog, run: Run): Promise<boolean> {
  const parent = run.parentCheckpointId === undefined ? undefined : await catalog.checkpoints.get(run.parentCheckpointId);
  return parent === undefined || isTerminal(parent);
}
