import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Repository } from '../catalog/contract/repository-records.ts';
import type { Run, RunLayout } from '../catalog/contract/run-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { checkRunName } from '../checkpoint/names.ts';
import { openCheckpoint } from '../ingest/checkpoint/open-checkpoint.ts';
import { queueCheckpoint } from '../ingest/checkpoint/queue-checkpoint.ts';
import { checkSameLayout } from '../ingest/run/run-layout.ts';
import { releaseRoom } from '../ingest/stage/stage-body.ts';
import { type HubContext, mainRun, runOfBranch } from './hub-context.ts';
import type { StagedCheckpoint } from './stage-checkpoint.ts';

/** Runs of one branch and folder that are tried for one with the same tensors before the files stay as they are. */
const layoutsMax = 50;

export interface QueuedCheckpoint {
  readonly run: Run;
  readonly checkpoint: Checkpoint;
  /** Names of tags that should lead to the commit. */
  readonly tags: readonly string[];
}

/**
 * Creates and queues a checkpoint of a commit, inside its transaction; the checkpoint owns the uploaded objects from
 * then on. Undefined if another checkpoint of the same commit took one of them, or if the branch cannot have a run. A
 * step that the run has already becomes the next free one: hub clients push a branch again after they went back, and
 * do not fork.
 */
export async function queueHubCheckpoint(
  ctx: HubContext,
  tx: Catalog,
  repository: Repository,
  {
    branch,
    step: stepOfCommit,
    staged: { plan, files, model, tickets },
  }: { readonly branch: string; readonly step: number | undefined; readonly staged: StagedCheckpoint },
): Promise<QueuedCheckpoint | undefined> {
  const own = files.filter(({ isOwn }) => isOwn);
  const blobs = await tx.hub.blobs.find(
    repository.id,
    own.map(({ sha256 }) => sha256),
  );
  if (!own.every(({ rawKey }) => blobs.some((blob) => blob.rawKey === rawKey))) return undefined;
  const run = await runWithLayout(ctx, tx, repository, { name: `${runOfBranch(branch)}${plan.runSuffix}`, model });
  if (run === undefined) return undefined;
  const asked = plan.step ?? stepOfCommit;
  const isFree = asked !== undefined && (await tx.checkpoints.find(run.id, asked)) === undefined;
  const step = isFree ? asked : await tx.checkpoints.nextStep(run.id);
  const opened = await openCheckpoint(tx, run, { step, files: [] });
  for (const { isOwn, ...file } of files) {
    await tx.files.receive(opened.id, file);
    if (!isOwn) continue;
    const { id } = (await tx.files.find(opened.id, file.path))!;
    await tx.hub.blobs.giveToFile(repository.id, file.sha256, id);
  }
  for (const ticket of tickets) await releaseRoom(tx, ticket);
  const checked = { model, files: await tx.files.list(opened.id), traceparent: ctx.tracer.current() };
  const checkpoint = await queueCheckpoint(tx, run, opened, checked);
  const tags = [`${run.name}/step-${step}`, ...(run.name === mainRun ? [`step-${step}`] : [])];
  return { run, checkpoint, tags };
}

/**
 * The run of this name, or of the name with a number, whose checkpoints have these tensors; created if there is none.
 */
async function runWithLayout(
  ctx: HubContext,
  tx: Catalog,
  repository: Repository,
  { name, model }: { readonly name: string; readonly model: RunLayout },
): Promise<Run | undefined> {
  for (let number = 1; number <= layoutsMax; number++) {
    const numbered = number === 1 ? name : `${name}-${number}`;
    if (!isRunName(numbered)) return undefined;
    const run = await tx.runs.find(repository.id, numbered);
    if (run === undefined) return ctx.createRun(tx, repository, numbered);
    const layout = await tx.runs.layoutOf(run.id);
    if (layout === undefined || isSameLayout(layout, model)) return run;
  }
  return undefined;
}

function isRunName(name: string): boolean {
  try {
    checkRunName(name);
    return true;
  } catch {
    return false;
  }
}

function isSameLayout(layout: RunLayout, model: RunLayout): boolean {
  try {
    checkSameLayout(layout, model);
    return true;
  } catch (error) {
    if (error instanceof FirnError && error.code === 'layout-mismatch') return false;
    throw error;
  }
}
