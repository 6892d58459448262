import { isDeepStrictEqual } from 'node:util';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { runClosed } from '../../checkpoint/quality/final-quality.ts';
import { checkFinal } from '../run/close-run.ts';
import { checkExpects } from './reservation/check-expects.ts';
import type { CommittedCheckpoint } from './commit-checkpoint.ts';
import type { IngestContext } from '../ingest-context.ts';
import { openCheckpoint } from './reservation/open-checkpoint.ts';
import { queueCheckpoint } from './queue-checkpoint.ts';
import { readLayouts } from './read-layouts.ts';
import { receiveFile } from './receive-file.ts';
import { refuseUnfitFirst } from '../refuse-unfit.ts';
import { joinLayouts } from '../run/run-layout.ts';
import { sameEntries } from './reservation/same-entries.ts';
import { dropObjects, recordStaged, releaseRoom, type StagedBody } from '../stage/stage-body.ts';
import { stageFile } from '../stage/stage-file.ts';
import { stepExists, stepFailed } from './step-exists.ts';
import type { Upload } from '../stage/upload.ts';

/** Path of the only file of a pushed checkpoint. */
export const pushedPath = 'model.safetensors';

/** A checkpoint of one file. */
export interface Push extends Pick<Checkpoint, 'layerTypes' | 'expects' | 'final'> {
  readonly step: number;
  readonly upload: Upload;
}

/**
 * Receives a checkpoint of one file. The body is staged first; then one transaction takes the step with its place in
 * the run and commits it. So a push that is refused or dies reserves nothing, and of several concurrent ones the first
 * with a complete, valid body wins. An open reservation of exactly this file is used, and stays unchanged if the push
 * is refused. A step committed with the same bytes is returned with `created` false, or is `checkpoint-failed` (naming
 * the retry call); one with other bytes is `step-exists`. Errors: those of `checkExpects` and `refuseUnfit`, those of
 * receiving a file, those of `checkFinal`, `layout-mismatch`, `step-exists`, `conflict` (cancelled), `not-found`,
 * `run-closed` (for a step that the run lacks).
 */
export async function pushCheckpoint(ctx: IngestContext, run: Run, push: Push): Promise<CommittedCheckpoint> {
  await checkExpects(ctx.catalog, run, push.expects);
  if (push.final !== undefined) await checkFinal(ctx.catalog, run, push.final);
  const existing = await ctx.catalog.checkpoints.find(run.id, push.step);
  if (existing !== undefined && existing.state !== 'open') return pushAgain(ctx, existing, push);
  // Before the body is read; the transaction that takes the step asks again.
  if (existing === undefined && run.closedAt !== undefined) throw runClosed();
  const known = existing && (await reservedFile(ctx.catalog, existing, push));
  const place = existing ?? { id: ctx.newKeyPart(), runId: run.id, sequence: Number.MAX_SAFE_INTEGER };
  return stageFile(
    ctx,
    place,
    { file: { path: pushedPath, role: 'model', known }, upload: push.upload },
    async (staged) => {
      const recorded = await recordStaged(ctx, staged, () => record(ctx, run, push, staged)).catch(
        async (err: unknown) => {
          const committed = await committedWith(ctx.catalog, run, push.step, staged.key).catch(() => undefined);
          if (committed === undefined) throw err;
          return { checkpoint: committed, created: true };
        },
      );
      // Another push had stored the same bytes before.
      if (!recorded.created) await dropObjects(ctx, [staged.key]);
      return recorded;
    },
  );
}

async function record(ctx: IngestContext, run: Run, push: Push, staged: StagedBody): Promise<CommittedCheckpoint> {
  const { sizeBytes, sha256, gitSha1, key: rawKey, storedBytes: rawStoredBytes } = staged;
  const file = {
    path: pushedPath,
    role: 'model',
    sizeBytes,
    sha256,
    rawKey,
    rawStoredBytes,
    ...(gitSha1 !== undefined && { gitSha1 }),
  } as const;
  const model = joinLayouts(await readLayouts(ctx, [file], 'model'));
  await refuseUnfitFirst(ctx, run, { layout: model, signal: push.upload.signal });
  const checked = { model, files: [file], traceparent: ctx.tracer.current() };
  return ctx.catalog.transaction(async (tx) => {
    // From here on pushes of a run are serialized, in all processes.
    await tx.runs.lock(run.id);
    const existing = await tx.checkpoints.find(run.id, push.step);
    if (existing !== undefined && existing.state !== 'open') {
      await checkSamePush(tx, existing, push, sha256);
      if (existing.state === 'failed') throw await stepFailed(tx, existing);
      return { checkpoint: existing, created: false };
    }
    const known = existing && (await reservedFile(tx, existing, push));
    if (known !== undefined && !known.received && !isAsAnnounced(known, staged)) throw reservedOtherwise(push.step);
    const { upload: _upload, ...settings } = push;
    const checkpoint = existing ?? (await openCheckpoint(tx, run, { ...settings, files: [] }));
    await tx.files.receive(checkpoint.id, file);
    await releaseRoom(tx, staged);
    return { checkpoint: await queueCheckpoint(tx, run, checkpoint, checked), created: true };
  });
}

/**
 * The only file of an open reservation that a push may use. Throws `step-exists` if the reservation expects something
 * else.
 */
async function reservedFile(catalog: Catalog, reservation: Checkpoint, push: Push): Promise<CheckpointFile> {
  const files = await catalog.files.list(reservation.id);
  const [file] = files;
  if (files.length !== 1 || file?.path !== pushedPath || file.role !== 'model' || !hasSettings(reservation, push))
    throw reservedOtherwise(push.step);
  return file;
}

function reservedOtherwise(step: number): FirnError {
  return new FirnError(
    'step-exists',
    `Step ${step} is reserved with other files and waits for them; upload them, or delete it first.`,
  );
}

function isAsAnnounced(announced: CheckpointFile, { sizeBytes, sha256 }: StagedBody): boolean {
  return (announced.sizeBytes ?? sizeBytes) === sizeBytes && (announced.sha256 ?? sha256) === sha256;
}

/**
 * Throws `step-exists` unless the checkpoint equals this push, as far as its digest is known; `conflict` if it was
 * never committed.
 */
async function checkSamePush(catalog: Catalog, checkpoint: Checkpoint, push: Push, sha256?: string): Promise<void> {
  if (checkpoint.revision === undefined)
    throw new FirnError(
      'conflict',
      `The checkpoint is ${checkpoint.state} and takes no files; delete it to upload the step again.`,
    );
  const files = await catalog.files.list(checkpoint.id);
  const [file] = files;
  if (
    files.length !== 1 ||
    file!.path !== pushedPath ||
    file!.sha256 !== (sha256 ?? file!.sha256) ||
    !hasSettings(checkpoint, push)
  )
    throw await stepExists(catalog, checkpoint);
}

/** Whether a checkpoint has the settings of a push; settings that the push leaves out are not compared. */
function hasSettings(checkpoint: Checkpoint, { layerTypes, expects, final }: Push): boolean {
  return (
    (layerTypes === undefined || sameEntries(layerTypes, checkpoint.layerTypes)) &&
    (expects === undefined || sameEntries(expects, checkpoint.expects)) &&
    (final === undefined || isDeepStrictEqual(final, checkpoint.final))
  );
}

/** Compares a body with the committed step, without storing it. */
async function pushAgain(ctx: IngestContext, checkpoint: Checkpoint, push: Push): Promise<CommittedCheckpoint> {
  await checkSamePush(ctx.catalog, checkpoint, push);
  // Refuses a failed checkpoint, and other bytes.
  await receiveFile(ctx, checkpoint.id, { path: pushedPath, role: 'model' }, push.upload);
  return { checkpoint, created: false };
}

/**
 * The checkpoint of the step if it was committed with this very object. A failure with unknown outcome may have
 * committed it.
 */
async function committedWith(catalog: Catalog, run: Run, step: number, key: string): Promise<Checkpoint | undefined> {
  const checkpoint = await catalog.checkpoints.find(run.id, step);
  const file = checkpoint?.revision === undefined ? undefined : await catalog.files.find(checkpoint.id, pushedPath);
  return file?.rawKey === key ? checkpoint : undefined;
}
