import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { Run, RunLayout } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { checkRunName } from '../../checkpoint/names.ts';
import { openCheckpoint } from '../../ingest/checkpoint/reservation/open-checkpoint.ts';
import { queueCheckpoint } from '../../ingest/checkpoint/queue-checkpoint.ts';
import type { CreateRunInput } from '../../ingest/run/create-run.ts';
import { refClash } from '../../ingest/run/ref-clash.ts';
import { checkSameLayout } from '../../ingest/run/run-layout.ts';
import { releaseRoom } from '../../ingest/stage/stage-body.ts';
import { baseCheckpoint } from './base-model.ts';
import { type HubContext, runOfBranch } from '../hub-context.ts';
import type { StagedCheckpoint } from './stage-checkpoint.ts';

/** Runs of one branch and folder that are tried for one with the same tensors before the files stay as they are. */
const layoutsMax = 50;

export interface QueuedCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly run: Run;
}

/**
 * Creates and queues a checkpoint of a commit, inside its transaction; the checkpoint owns the uploaded objects from
 * then on. Undefined if another checkpoint of the same commit took one of them, or if the branch has `layoutsMax` runs
 * with other tensors. A step that the run has already becomes the next free one: hub clients push a branch again after
 * they went back, and do not fork. The first checkpoint of a new run is stored against the newest one of `base`, if
 * that has its tensors.
 */
export async function queueHubCheckpoint(
  ctx: HubContext,
  tx: Catalog,
  repository: Repository,
  {
    branch,
    base,
    step: stepOfCommit,
    staged: { plan, files, model, tickets },
  }: {
    readonly branch: string;
    readonly base: Repository | undefined;
    readonly step: number | undefined;
    readonly staged: StagedCheckpoint;
  },
): Promise<QueuedCheckpoint | undefined> {
  const own = files.filter(({ isOwn }) => isOwn);
  const blobs = await tx.hub.blobs.find(
    repository.id,
    own.map(({ sha256 }) => sha256),
  );
  if (!own.every(({ rawKey }) => blobs.some((blob) => blob.rawKey === rawKey))) return undefined;
  const run = await runWithLayout(ctx, tx, repository, {
    name: `${runOfBranch(branch)}${plan.runSuffix}`,
    model,
    base,
  });
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
  return { checkpoint: await queueCheckpoint(tx, run, opened, checked), run };
}

/**
 * The run of this name, or of the name with a number, whose checkpoints have these tensors and the fidelity that the
 * repository asks for; created if there is none. A name beside which git would not allow a tag that exists is passed
 * over.
 */
async function runWithLayout(
  ctx: HubContext,
  tx: Catalog,
  repository: Repository,
  { name, model, base }: { readonly name: string; readonly model: RunLayout; readonly base: Repository | undefined },
): Promise<Run | undefined> {
  for (let number = 1; number <= layoutsMax; number++) {
    const numbered = number === 1 ? name : `${name}-${number}`;
    if (!isRunName(numbered)) return undefined;
    const run = await tx.runs.find(repository.id, numbered);
    if (run === undefined) {
      if ((await refClash(tx, repository.id, numbered)) !== undefined) continue;
      const builtOn = base && (await baseCheckpoint(tx, base, model));
      return ctx.createRun(tx, repository, { ...inputOf(numbered, repository), builtOn });
    }
    if (run.fidelity !== (repository.hubSettings?.fidelity ?? 'exact')) continue;
    const layout = await tx.runs.layoutOf(run.id);
    if (layout === undefined || isSameLayout(layout, model)) return run;
  }
  return undefined;
}

/** Whether two models have the same tensors, with the same dtypes and shapes. */
function isSameLayout(layout: RunLayout, model: RunLayout): boolean {
  try {
    checkSameLayout(layout, model);
    return true;
  } catch (error) {
    if (error instanceof FirnError && error.code === 'layout-mismatch') return false;
    throw error;
  }
}

function inputOf(name: string, { hubSettings }: Repository): CreateRunInput {
  if (hubSettings?.fidelity !== 'lossy') return { name, fidelity: 'exact' };
  // The thresholds were accepted with the settings, large ones too.
  const { evalSet, thresholds } = hubSettings;
  return { name, fidelity: 'lossy', evalSet, thresholds, allowLarge: true };
}

function isRunName(name: string): boolean {
  try {
    checkRunName(name);
    return true;
  } catch {
    return false;
  }
}
