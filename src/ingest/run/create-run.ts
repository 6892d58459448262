import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import type { QualityThresholds } from '../../checkpoint/quality/quality.ts';
import type { Fidelity } from '../../checkpoint/role.ts';
import { methodConfigOf, methodConfigs } from '../../checkpoint/options/quantization-config.ts';
import {
  defaultSearchOptions,
  type GivenSearchOptions,
  type SearchOptions,
} from '../../checkpoint/options/search-options.ts';
import { defaultDeviceWish, type DeviceWish } from '../../checkpoint/options/device-wish.ts';
import { defaultStateOptions, type StateOptions } from '../../checkpoint/options/state-options.ts';
import { readyEvalSet } from './evaluation-of-run.ts';
import type { FitsEvalSet } from '../ingest-context.ts';
import { refuseUnfit } from '../refuse-unfit.ts';
import { refuseRefClash } from './ref-clash.ts';
import { settleThresholds } from './settle-thresholds.ts';

export interface CreateRunInput {
  readonly name: string;
  readonly fidelity?: Fidelity | undefined;
  /** Name of an eval set of the repository. */
  readonly evalSet?: string | undefined;
  readonly thresholds?: QualityThresholds | undefined;
  /** Must be true if a threshold is above `plainThresholdMax`. */
  readonly allowLarge?: boolean | undefined;
  readonly search?: GivenSearchOptions | undefined;
  readonly state?: { readonly [Option in keyof StateOptions]?: StateOptions[Option] | undefined } | undefined;
  readonly device?: DeviceWish | undefined;
  readonly layerTypes?: Readonly<Record<string, LayerType>> | undefined;
  /** A checkpoint of another repository, with the same tensors, that the first one is stored against. */
  readonly builtOn?: { readonly run: Run; readonly checkpoint: Checkpoint } | undefined;
  readonly forkFrom?: { readonly run: string; readonly step: number } | undefined;
}

export interface CreateRunContext {
  readonly catalog: Catalog;
  /** A random unsigned 64-bit number in decimal. */
  readonly newSeed: () => string;
  /** Called for a fork with an eval set of its own. */
  readonly fitsEvalSet?: FitsEvalSet;
}

/**
 * Creates a run. Values that are not given come from the fork's parent, else from the defaults: lossy with an eval set
 * or a fixed config, exact without; half a percent on the first metric. A fork with an eval set of its own drops the
 * parent's thresholds if it lacks one of their metrics. A fork always keeps its parent's seed, so that their codebooks
 * agree. Errors: `not-found`, `conflict` (the name is taken, or a branch or tag is in its way), `invalid-request`,
 * `eval-set-not-ready`, `metric-unknown`, `checkpoint-not-ready` or `checkpoint-failed` (the checkpoint to fork from).
 */
export async function createRun(
  ctx: CreateRunContext,
  repository: Repository,
  input: CreateRunInput,
  signal?: AbortSignal,
): Promise<Run> {
  const { catalog, newSeed } = ctx;
  await refuseUnfitFork(ctx, repository, input, signal);
  return catalog.transaction(async (tx) => {
    await refuseRefClash(tx, repository.id, input.name);
    const parent = input.forkFrom === undefined ? undefined : await forkPoint(tx, repository, input.forkFrom);
    const evalSet = await evalSetOf(tx, repository, input, parent?.run);
    const search = mergeSearch(parent?.run.search ?? defaultSearchOptions, input.search ?? {});
    const { thresholds: given, allowLarge } = input;
    const thresholds = settleThresholds({ given, inherited: parent?.run.thresholds, allowLarge, evalSet });
    const fidelity =
      input.fidelity ??
      inheritedFidelity(input, parent?.run) ??
      (evalSet !== undefined || isDecided(search) ? 'lossy' : 'exact');
    if (fidelity === 'lossy' && evalSet === undefined && !isDecided(search)) {
      throw new FirnError('invalid-request', 'A lossy run needs an eval set, or a fixed config.');
    }
    const parentId = parent?.checkpointId ?? input.builtOn?.checkpoint.id;
    return tx.runs.create({
      repositoryId: repository.id,
      name: input.name,
      fidelity,
      thresholds,
      search,
      device: input.device ?? parent?.run.device ?? defaultDeviceWish,
      ...stateOf(input, parent?.run),
      layerTypes: input.layerTypes ?? parent?.run.layerTypes ?? {},
      seed: (parent?.run ?? input.builtOn?.run)?.seed ?? newSeed(),
      ...(evalSet !== undefined && { evalSetId: evalSet.id }),
      ...(parentId !== undefined && { parentCheckpointId: parentId }),
    });
  });
}

/** A fork has its parent's layout, so its eval set can be checked before anything is uploaded. */
async function refuseUnfitFork(
  ctx: CreateRunContext,
  repository: Repository,
  input: CreateRunInput,
  signal?: AbortSignal,
): Promise<void> {
  const { catalog, fitsEvalSet } = ctx;
  if (
    fitsEvalSet === undefined ||
    input.forkFrom === undefined ||
    input.evalSet === undefined ||
    input.fidelity === 'exact'
  )
    return;
  const { run } = await forkPoint(catalog, repository, input.forkFrom);
  const evalSet = await readyEvalSet(catalog, repository.id, input.evalSet);
  const layout = evalSet.id === run.evalSetId ? undefined : await catalog.runs.layoutOf(run.id);
  if (layout !== undefined) await refuseUnfit({ fitsEvalSet }, { evalSet, layout, signal });
}

async function forkPoint(
  tx: Catalog,
  repository: Repository,
  { run: name, step }: { run: string; step: number },
): Promise<{ run: Run; checkpointId: string }> {
  const run = await tx.runs.find(repository.id, name);
  if (run === undefined) throw new FirnError('not-found', 'There is no such run to fork from.');
  const checkpoint = await tx.checkpoints.find(run.id, step);
  if (checkpoint === undefined) throw new FirnError('not-found', 'The run to fork from has no such step.');
  switch (checkpoint.state) {
    case 'open':
      throw new FirnError('checkpoint-not-ready', 'The step to fork from has not been committed.');
    case 'failed':
    case 'cancelled':
      throw new FirnError('checkpoint-failed', `The step to fork from is ${checkpoint.state}; fork from another.`);
    case 'queued':
    case 'working':
    case 'ready':
      return { run, checkpointId: checkpoint.id };
  }
}

async function evalSetOf(
  tx: Catalog,
  repository: Repository,
  input: CreateRunInput,
  parent: Run | undefined,
): Promise<EvalSet | undefined> {
  if (input.evalSet === undefined)
    return parent?.evalSetId === undefined ? undefined : tx.evalSets.get(parent.evalSetId);
  return readyEvalSet(tx, repository.id, input.evalSet);
}

/** A fork with its own eval set or config does not inherit the fidelity. */
function inheritedFidelity(input: CreateRunInput, parent: Run | undefined): Fidelity | undefined {
  return input.evalSet === undefined && input.search?.fixedConfig === undefined ? parent?.fidelity : undefined;
}

/** Whether no search is needed to know the config of every checkpoint. */
function isDecided({ method, fixedConfig }: SearchOptions): boolean {
  return fixedConfig !== undefined || methodConfigOf(method).unsearched !== undefined;
}

function stateOf({ state }: CreateRunInput, parent: Run | undefined): Pick<Run, 'state'> {
  if (state === undefined) return parent?.state === undefined ? {} : { state: parent.state };
  const given = Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined));
  return { state: { ...(parent?.state ?? defaultStateOptions), ...given } };
}

/** The given options over the defaults; a bound that is given as null is left out. */
function mergeSearch(defaults: SearchOptions, given: GivenSearchOptions): SearchOptions {
  const asked = Object.entries(given).filter(([, value]) => value !== undefined);
  const merged = Object.entries({ ...defaults, ...Object.fromEntries(asked) }).filter(([, value]) => value !== null);
  const search = Object.fromEntries(merged) as unknown as SearchOptions;
  for (const { checkSearch } of methodConfigs) checkSearch?.(search);
  if (search.fixedConfig !== undefined) methodConfigOf(search.fixedConfig.method).check?.(search.fixedConfig);
  return search;
}
