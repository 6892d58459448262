import { join } from 'node:path';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../catalog/contract/file-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { methodConfigOf } from '../checkpoint/options/quantization-config.ts';
import type { DeviceKind } from '../checkpoint/device-kind.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { deviceFor, wishOfJobs, type DeviceWish } from '../checkpoint/options/device-wish.ts';
import { isDeviceFailure } from '../evaluate/device/device-failure.ts';
import type { CompressContext, EncodePhase } from './compress-context.ts';
import type { CompressedCheckpoint } from './compressed-checkpoint.ts';
import { ancestorsOfExact } from './lineage/ancestors-of-exact.ts';
import { dropPackage } from './encode/drop-package.ts';
import { decideConfig, type Decision, type DecisionBasis } from './decide-config.ts';
import { deviceAttributes } from './device/device-attributes.ts';
import { describeResult, fileResults } from './describe-result.ts';
import type { EncodeAttempt } from './encode-attempt.ts';
import { encodedOn } from './device/encoded-on.ts';
import { ancestorCandidates, type AncestorCandidate } from './ancestor/find-ancestor.ts';
import { filesHolding } from './lineage/file-references.ts';
import { copyTwin } from './copy-twin.ts';
import { findResumption } from './lineage/find-resumption.ts';
import { isResumed } from './ancestor/resumed-training.ts';
import { boundAfterRestart } from './measure/bound-after-restart.ts';
import { findTwin } from './lineage/find-twin.ts';
import { loadSource } from './upload/load-source.ts';
import { ModelSource } from './upload/model-source.ts';
import { Ancestors, type OpenedAncestor } from './ancestor/open-ancestor.ts';
import { gramsMaxBytes } from './method/gram-matrices.ts';
import type { Method } from './method/method.ts';
import { methodNamed } from './method/all-methods.ts';
import { overBudget, plannedAncestors } from './lineage/plan-ancestor.ts';
import { measuredQuality } from './measure/observed-quality.ts';
import { prepareModel, type PreparedModel } from './prepare-model.ts';
import { reconsiderAncestor } from './lineage/reconsider-ancestor.ts';
import { ReusableBase } from './lineage/reusable-base.ts';
import { runOfCheckpoint } from './run-of-checkpoint.ts';
import type { MemoryFolder } from './scratch/scratch-memory.ts';
import { storeCheckpoint } from './store-checkpoint.ts';
import { TrialCounts } from './ancestor/trial-counts.ts';
import { verifyStored } from './verify-stored.ts';
import { withScratch } from './scratch/with-scratch.ts';

export interface CheckpointToCompress {
  readonly checkpoint: Checkpoint;
  readonly run: Run;
  readonly rows: readonly CheckpointFile[];
  /**
   * Distinguishes the attempts at this checkpoint: the fence of the job's claim; `estimate-` before that of an
   * estimate.
   */
  readonly attempt: number | `estimate-${number}`;
}

/**
 * Search, quantize, encode, verify (DESIGN section 3, steps 3 to 5). Deterministic: the same uploads and ancestors give
 * the same package, as far as evaluations agree. Everything is measured on one kind of device, as the run wishes; if
 * that fails on a GPU, everything is done once more on the processor. The core uses its device unless the run wants
 * none. Scratch files, and on failure the package, are removed on every way out. Rejects with the errors of the rooms
 * it uses.
 */
export async function compressCheckpoint(
  ctx: CompressContext,
  work: CheckpointToCompress,
  signal: AbortSignal,
): Promise<CompressedCheckpoint> {
  const wish = wishOfJobs(runOfCheckpoint(work.run, work.checkpoint));
  const device = await deviceOf(ctx, wish);
  try {
    return await compressOn(ctx, { ...work, device }, signal);
  } catch (error) {
    if (!isDeviceFailure(error) || wish === 'required' || !ctx.evaluator.fallsBack) throw error;
    ctx.onDeviceFailure?.(error, work.checkpoint.id);
    return compressOn(ctx, { ...work, device: 'cpu' }, signal);
  }
}

/** Errors: `eval-device` if this worker has no device of the kind that the run wishes for. */
async function deviceOf({ evaluator }: CompressContext, wish: DeviceWish): Promise<DeviceKind> {
  if (wish === 'none') return 'cpu';
  const device = deviceFor(wish, await evaluator.kinds());
  if (device !== undefined) return device;
  const what = wish === 'required' ? 'The run requires a GPU, and this worker has none' : 'CUDA does not start here';
  throw new FirnError('eval-device', `${what}.`);
}

async function compressOn(
  given: CompressContext,
  work: CheckpointToCompress & { readonly device: DeviceKind },
  signal: AbortSignal,
): Promise<CompressedCheckpoint> {
  const { checkpoint, rows, device } = work;
  const run = runOfCheckpoint(work.run, checkpoint);
  const own = run.device === 'none' ? given.core.withoutDevice() : given.core;
  const account = own.withDeviceAccount();
  const ctx = { ...given, core: account?.core ?? own };
  const packageId = checkpoint.id.replaceAll('-', '');
  const packageKey = `packages/${packageId}-${work.attempt}`;
  const warnings = new Set<string>();
  const warn = (sentence: string): void => {
    warnings.add(sentence);
  };
  try {
    return await withScratch(join(ctx.workDirectory, `encode-${packageId}-`), async (directory) => {
      const loaded = await ctx.tracer.span('encode.load', {}, () => loadSource(ctx.store, rows));
      const source = new ModelSource(loaded.files, loaded.gradients, ctx.core, ctx.cacheMaxBytes, ctx.cacheCounts);
      const {
        catalog,
        store,
        core,
        restorer,
        freshRestorer,
        chainLengthMax,
        cacheMaxBytes,
        blockParallel: parallel,
      } = ctx;
      const config = checkpoint.fixedConfig ?? run.search.fixedConfig;
      const method = methodNamed(config?.method ?? run.search.method);
      const begin = { source, core, run, checkpoint, given: config, cacheMaxBytes, parallel, signal, warn };
      const session = method.begin(begin);
      const reading = { catalog, store, core, cacheMaxBytes, restorer, chainLengthMax };
      const ancestors = new Ancestors({ ...reading, run, source, signal, warn });
      const reusableBase = new ReusableBase({ catalog, store, run, source, ancestors, chainLengthMax, signal });
      let memory: MemoryFolder | undefined;
      try {
        const holding = await filesHolding(catalog, run, source.files);
        memory = await ctx.scratchMemory?.take(modelFilesBytes(source, method, ctx.evaluator.parallelOn(device)));
        const services = { ctx, catalog, store, core, freshRestorer, chainLengthMax };
        const attempt = {
          ...services,
          checkpoint,
          run,
          rows,
          source,
          holding,
          method,
          session,
          measured: { begun: 0, passed: new Map() },
          given: config,
          ancestors,
          reusableBase,
          packageId,
          packageKey,
          directory,
          modelDirectory: memory?.directory ?? directory,
          device,
          encodedOn: () => encodedOn(account),
        };
        return await compress({ ...attempt, parallel, signal, warn }, warnings);
      } finally {
        session.close();
        await memory?.release();
        await ancestors.close();
        await loaded.close();
      }
    });
  } catch (error) {
    // Nobody else writes this key, and nothing refers to it yet. If it cannot be deleted now, it is collected as an
    // orphan.
    await dropPackage(ctx, packageKey).catch(() => undefined);
    throw error;
  }
}

/** Most bytes of the files that evaluations of a checkpoint map or write at once. */
function modelFilesBytes({ files }: ModelSource, method: Method, evaluations: number): number {
  const modelBytes = files.reduce((sum, { role, sizeBytes }) => sum + (role === 'model' ? sizeBytes : 0), 0);
  const grams = method.measureInputs === undefined ? 0 : gramsMaxBytes;
  return Math.max(modelBytes + grams, modelBytes * Math.min(method.trialsAtOnce ?? evaluations, evaluations));
}

async function compress(begun: EncodeAttempt, warnings: ReadonlySet<string>): Promise<CompressedCheckpoint> {
  const { ctx, checkpoint, packageId, packageKey } = begun;
  const candidates = await ancestorCandidates(ctx.catalog, begun.run, checkpoint.sequence);
  const twin = begun.method.isRepeatable === true ? await findTwin({ ...begun, candidates }) : undefined;
  const copied = twin && (await ctx.tracer.span('encode.copy', {}, () => copyTwin(begun, twin)));
  if (copied !== undefined) return copied;
  const attempt = await withStateOptions(begun, candidates);
  const phases = new Phases(attempt);
  const basis = await phases.run('read', async (): Promise<Basis> => {
    const prepared = await prepareModel(attempt);
    const resumption = await findResumption(attempt, prepared, candidates);
    const isRestarted = resumption !== undefined && isResumed(resumption);
    const model = isRestarted ? boundAfterRestart(prepared, attempt.run.thresholds) : prepared;
    const ancestors = await ctx.tracer.span('encode.ancestor', {}, () =>
      plannedAncestors(attempt, model, { candidates, resumption }),
    );
    return { model, candidates, resumption, ancestors };
  });
  const { model } = basis;
  const { decision, findings: quantized } = await decideInBudget(attempt, phases, basis);
  const storeExact = async (): Promise<Findings> => {
    const ancestors = await ancestorsOfExact(attempt, decision.plan, candidates);
    return attempt.ancestors.withBest(ancestors, decision.plan, (opened) =>
      storeAndVerify(attempt, phases, { model, decision, opened }),
    );
  };
  const findings = quantized ?? (await storeExact());
  attempt.signal.throwIfAborted();
  if (decision.exactReason !== undefined) attempt.warn(decision.exactReason);
  findings.stored.keepStates?.();
  const { step } = checkpoint;
  const { repositoryId } = begun.run;
  const { seconds } = phases;
  const done = { step, repositoryId, decision, warnings: [...warnings], seconds, encodedOn: attempt.encodedOn() };
  const result = describeResult({ ...findings, ...done });
  return { encoded: findings.stored, packageId, packageKey, result, files: fileResults(findings) };
}

/** The attempt with the options of optimizer files that its method decides on, if it does. */
async function withStateOptions(
  attempt: EncodeAttempt,
  candidates: readonly AncestorCandidate[],
): Promise<EncodeAttempt> {
  const { method, given, run } = attempt;
  if (method.optimizerState === undefined || run.fidelity === 'exact') return attempt;
  const config = given ?? methodConfigOf(method.name).unsearched;
  const { state: wanted, ...rest } = run;
  const state = await method.optimizerState({ ...attempt, state: wanted, config, candidates });
  return { ...attempt, run: state === undefined ? rest : { ...rest, state } };
}

type Findings = Awaited<ReturnType<typeof storeAndVerify>>;

interface Basis extends Omit<DecisionBasis, 'ancestor'> {
  /** Candidates to build on, in the order in which they are tried. */
  readonly ancestors: readonly AncestorCandidate[];
}

/**
 * If the stored delta exceeds the restore budget, retry with the next-best ancestor, then store a base. A base never
 * exceeds it. Also store a base if no trial is left for the next-best ancestor.
 */
async function decideInBudget(attempt: EncodeAttempt, phases: Phases, { ancestors, ...basis }: Basis): Promise<Stored> {
  const trials = new TrialCounts({ trialsMax: attempt.method.trialsMost ?? Infinity });
  const search: Search = async (opened) => {
    const work = { ...basis, ancestor: opened?.ancestor, trialsMax: trials.allowance(opened?.candidate) };
    const decision = await phases.run('search', () => decideConfig(attempt, work));
    trials.add(opened?.candidate, decision.trialCount);
    return { ...decision, trialCount: trials.total };
  };
  const decideAndStoreBehind = (candidates: readonly AncestorCandidate[]): Promise<Stored> =>
    decideAndStore(attempt, phases, { ...basis, search }, candidates);
  const first = await decideAndStoreBehind(await reconsiderAncestor({ planning: attempt, basis, search }, ancestors));
  const { overBudgetBytes, decision } = first;
  if (overBudgetBytes === undefined) return first;
  const second = await decideAndStoreBehind(
    await plannedAncestors(attempt, basis.model, basis, { config: decision.quantized!.config, overBudgetBytes }),
  );
  return second.overBudgetBytes === undefined && second.decision.quantized !== undefined
    ? second
    : decideAndStoreBehind([]);
}

type Search = (opened: OpenedAncestor | undefined) => Promise<Decision>;

interface Stored {
  readonly decision: Decision;
  /** The ancestor that the search used. */
  readonly ancestor: AncestorCandidate | undefined;
  /** Undefined if everything is stored exact, because nothing is stored or measured yet. */
  readonly findings: Findings | undefined;
  /** Size of the stored delta, if it exceeds the restore budget. */
  readonly overBudgetBytes?: number;
}

/**
 * Metrics depend on the ancestor, so a quantized checkpoint is stored with the same ancestor as in its search. Without
 * an ancestor nothing exceeds the restore budget.
 */
function decideAndStore(
  attempt: EncodeAttempt,
  phases: Phases,
  { model, search }: { readonly model: PreparedModel; readonly search: Search },
  ancestors: readonly AncestorCandidate[],
): Promise<Stored> {
  return attempt.ancestors.withBest(ancestors, model.plan, async (opened) => {
    const decision = await search(opened);
    if (decision.plan !== model.plan) return { decision, ancestor: opened?.candidate, findings: undefined };
    const findings = await storeAndVerify(attempt, phases, { model, decision, opened });
    const { stored, ancestor } = findings;
    const { storedBytes } = stored.written.object;
    const built = stored.kind === 'delta' ? ancestor?.checkpoint : undefined;
    const over = built !== undefined && (await overBudget(attempt, model, built, storedBytes));
    return { decision, ancestor: opened?.candidate, findings, ...(over && { overBudgetBytes: storedBytes }) };
  });
}

async function storeAndVerify(
  attempt: EncodeAttempt,
  phases: Phases,
  { model, decision, opened }: { model: PreparedModel; decision: Decision; opened: OpenedAncestor | undefined },
) {
  const stored = await phases.run('encode', () => storeCheckpoint(attempt, decision, opened?.ancestor));
  const measured = await phases.run('verify', () =>
    verifyStored(attempt, model, { stored, trial: decision.quantized?.measured }),
  );
  const quality =
    model.quality !== undefined && measured !== undefined ? { quality: measuredQuality(model.quality, measured) } : {};
  return { files: attempt.source.files, rows: attempt.rows, stored, ancestor: opened?.candidate, ...quality };
}

/** Announces and times the phases of one attempt. */
class Phases {
  readonly seconds: Record<string, number> = {};
  private readonly attempt: EncodeAttempt;

  constructor(attempt: EncodeAttempt) {
    this.attempt = attempt;
  }

  async run<T>(phase: EncodePhase, work: () => Promise<T>): Promise<T> {
    const { ctx, checkpoint, signal } = this.attempt;
    signal.throwIfAborted();
    ctx.publish(checkpoint.id, { type: 'phase', phase });
    const started = performance.now();
    try {
      return await ctx.tracer.span(`encode.${phase}`, {}, async (span) => {
        const onDevice = deviceAttributes(ctx.core, () => performance.now() / 1000);
        try {
          return await work();
        } finally {
          span.set(onDevice());
        }
      });
    } finally {
      this.seconds[phase] = (this.seconds[phase] ?? 0) + (performance.now() - started) / 1000;
    }
  }
}
