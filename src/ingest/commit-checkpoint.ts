import type { Catalog, Checkpoint, CheckpointFile, Run, RunLayout } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { quoteName } from '../checkpoint/quote-name.ts';
import type { FileRole } from '../checkpoint/role.ts';
import { readSafetensorsLayout } from '../store/read-safetensors-layout.ts';
import { encodeJobKind, type IngestContext } from './ingest-context.ts';
import { revisionId } from './revision-id.ts';
import { checkSameLayout, checkSensitivity, joinLayouts, type LaidOutFile } from './run-layout.ts';

export interface CommittedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** False when it was committed before. */
  readonly created: boolean;
}

/** Checkpoints of a run looked at in one page when asking whether any other fixes its layout. */
const pageCheckpoints = 100;

/**
 * Closes an open checkpoint: all announced files have arrived, model and sensitivity tensors fit together and fit the run. One transaction gives it its
 * revision, queues it and releases its encode job; from then on it is never lost. Repeating it answers as the first time.
 * Errors: `upload-incomplete`, `tensor-duplicate`, `layout-mismatch`, `conflict` (cancelled, or files changed meanwhile), `not-found`.
 */
export async function commitCheckpoint(ctx: IngestContext, run: Run, checkpointId: string): Promise<CommittedCheckpoint> {
  const checkpoint = await ctx.catalog.checkpoints.get(checkpointId);
  if (checkpoint === undefined) throw new FirnError('not-found', 'There is no such checkpoint.');
  if (checkpoint.state !== 'open') return committedBefore(checkpoint);
  const files = await ctx.catalog.files.list(checkpointId);
  checkComplete(files);
  await checkPresent(ctx, files);
  const model = joinLayouts(await readLayouts(ctx, files, 'model'));
  checkSensitivity(model, joinLayouts(await readLayouts(ctx, files, 'sensitivity')));
  const revision = revisionId(run.id, checkpoint.step, files);
  try {
    return { checkpoint: await ctx.catalog.transaction((tx) => queue(tx, run, checkpoint, { model, revision })), created: true };
  } catch (err) {
    const now = await ctx.catalog.checkpoints.get(checkpointId);
    if (now?.revision === revision) return { checkpoint: now, created: false };
    throw err;
  }
}

function committedBefore(checkpoint: Checkpoint): CommittedCheckpoint {
  if (checkpoint.revision === undefined)
    throw new FirnError('conflict', `The checkpoint is ${checkpoint.state} and was never committed; delete it to upload the step again.`);
  return { checkpoint, created: false };
}

function checkComplete(files: readonly CheckpointFile[]): void {
  if (files.length === 0) throw new FirnError('upload-incomplete', 'The checkpoint has no file.');
  const missing = files.filter(({ received }) => !received);
  if (missing.length === 0) return;
  throw new FirnError(
    'upload-incomplete',
    `${missing.length} of ${files.length} announced files have not arrived, the first is ${quoteName(missing[0]!.path)}.`,
  );
}

/** What is acknowledged is in the store: a record without its object would be a loss found too late. */
async function checkPresent({ store }: IngestContext, files: readonly CheckpointFile[]): Promise<void> {
  for (const { path, rawKey, sizeBytes } of files) {
    const object = rawKey === undefined ? undefined : await store.stat(rawKey);
    if (object?.sizeBytes !== sizeBytes)
      throw new FirnError('upload-incomplete', `The file ${quoteName(path)} must be sent again.`, { detail: rawKey ?? 'no key' });
  }
}

async function readLayouts({ store, headerLimits }: IngestContext, files: readonly CheckpointFile[], role: FileRole): Promise<LaidOutFile[]> {
  const laidOut: LaidOutFile[] = [];
  for (const { path, rawKey } of files.filter((file) => file.role === role)) {
    const reader = await store.open(rawKey!);
    try {
      laidOut.push({ path, layout: await readSafetensorsLayout(reader, headerLimits) });
    } finally {
      await reader.close();
    }
  }
  return laidOut;
}

async function queue(tx: Catalog, run: Run, checkpoint: Checkpoint, { model, revision }: { model: RunLayout; revision: string }): Promise<Checkpoint> {
  await settleLayout(tx, run, checkpoint, model);
  const queued = await tx.checkpoints.transition(checkpoint.id, ['open'], 'queued', { revision });
  // From here on no file can change; one that did since the headers were read undoes the commit.
  if (revisionId(run.id, checkpoint.step, await tx.files.list(checkpoint.id)) !== revision)
    throw new FirnError('conflict', 'A file changed while the checkpoint was committed; commit again.');
  await tx.jobs.release(encodeJobKind, checkpoint.id);
  return queued;
}

/** The run's layout is that of its checkpoints; the first one sets it, for a fork its parent's run. One that nothing was built with may be replaced. */
async function settleLayout(tx: Catalog, run: Run, checkpoint: Checkpoint, model: RunLayout): Promise<void> {
  const ofRun = await tx.runs.lockLayout(run.id);
  if (ofRun !== undefined && (await hasOtherCommitted(tx, run, checkpoint))) {
    checkSameLayout(ofRun, model);
    return;
  }
  const ofParent = await parentLayout(tx, run);
  if (ofParent !== undefined) checkSameLayout(ofParent, model);
  await tx.runs.setLayout(run.id, model);
}

async function hasOtherCommitted(tx: Catalog, run: Run, { id }: Checkpoint): Promise<boolean> {
  for (let after: string | undefined; ;) {
    const page = await tx.checkpoints.list(run.id, { limit: pageCheckpoints, ...(after !== undefined && { after }) });
    if (page.some((other) => other.id !== id && (other.state === 'queued' || other.state === 'working' || other.state === 'ready'))) return true;
    if (page.length < pageCheckpoints) return false;
    after = String(page.at(-1)!.sequence);
  }
}

async function parentLayout(tx: Catalog, run: Run): Promise<RunLayout | undefined> {
  const parent = run.parentCheckpointId === undefined ? undefined : await tx.checkpoints.get(run.parentCheckpointId);
  return parent === undefined ? undefined : tx.runs.lockLayout(parent.runId);
}
