import type { MetricValues } from '../checkpoint/quality/quality.ts';
import type { InshrinkeratorConfig } from '../checkpoint/options/methods/inshrinkerator-config.ts';
import type { QuantizationConfig } from '../checkpoint/options/quantization-config.ts';
import { codebookSeed } from './method/codebook/codebook-seed.ts';
import { givenConfig, methodOf, pace, type EncodeAttempt } from './encode-attempt.ts';
import type { AncestorCandidate } from './ancestor/find-ancestor.ts';
import type { Ancestor } from './ancestor/ancestor.ts';
import { InshrinkeratorQuantization } from './method/codebook/inshrinkerator-quantization.ts';
import { gatherStatistics, type ModelStatistics } from './method/codebook/model-statistics.ts';
import { isQuantized, planExact, type CodingPlan } from './plan/plan-codings.ts';
import { withCopies, type PreparedModel } from './prepare-model.ts';
import type { Quantization, QuantizationNotes, QuantizedForm } from './method/quantized-form.ts';
import { Quantizer } from './method/codebook/quantizer.ts';
import type { Resumption } from './ancestor/resumed-training.ts';
import { residualQuantization } from './method/residual/residual-quantization.ts';
import { searchCheckpoint } from './measure/search-checkpoint.ts';

/** How a checkpoint is to be stored. */
export interface Decision {
  /** That of the prepared model, or one with everything exact. */
  readonly plan: CodingPlan;
  /** Absent when everything is exact. */
  readonly quantized?: { readonly form: QuantizedForm; readonly config: QuantizationConfig };
  /** True when the config was given with the upload or the run, not found. */
  readonly configGiven: boolean;
  readonly trialCount: number;
  /** Why a checkpoint that was to be quantized is stored exact, in a sentence. */
  readonly exactReason?: string;
  readonly notes?: QuantizationNotes | undefined;
}

export interface DecisionBasis {
  readonly model: PreparedModel;
  readonly ancestor: Ancestor | undefined;
  /** Ready checkpoints before this one, nearest first. */
  readonly candidates: readonly AncestorCandidate[];
  /** See findResumption. */
  readonly resumption: Resumption | undefined;
}

/** The config a checkpoint is quantized with: the given one, else the one found in `trialsMax` trials and those the run allows; everything exact, with the reason, where there is none. */
export async function decideConfig(attempt: EncodeAttempt, basis: DecisionBasis & { readonly trialsMax: number }): Promise<Decision> {
  const { plan } = basis.model;
  if (!isQuantized(plan)) {
    if (attempt.run.fidelity === 'lossy') attempt.warn('No tensor of the model is one to quantize, so the checkpoint is stored exact.');
    return { plan, configGiven: false, trialCount: 0 };
  }
  const given = givenConfig(attempt);
  const hindrance = basis.model.quality?.distrust ?? (given === undefined ? whyNoSearch(basis.model) : undefined);
  if (hindrance !== undefined) return exact(attempt, basis.model, hindrance, 0);
  const quantization = await makeQuantization(attempt, basis, given);
  const { config, trialCount } = given === undefined ? await search(attempt, basis, quantization) : { config: given, trialCount: 0 };
  if (config === undefined) return exact(attempt, basis.model, nothingPassed(trialCount), trialCount);
  const notes = await quantization.describe?.(config, pace(attempt));
  return { plan, quantized: { form: await quantization.form(config), config }, configGiven: given !== undefined, trialCount, notes };
}

/** A search never asks for a metric that cannot be computed; a given config may, and is then pruned as without gradients (quantizer.ts). */
function whatGivenConfigLacks(given: InshrinkeratorConfig, { sensitivity }: ModelStatistics): string | undefined {
  if (given.pruneMetric !== 'sensitivity' || given.pruneFraction === 0 || sensitivity !== undefined) return undefined;
  return 'The given config prunes by sensitivity, but there are no gradients of the quantized tensors, so they were pruned by magnitude.';
}

/** A search has a limit of trials, so it says how many there were. */
function nothingPassed(trialCount: number): string {
  return `None of the ${trialCount} configs tried stayed inside the quality threshold, so the checkpoint is stored exact.`;
}

/** A sentence where there is nothing to search by. */
function whyNoSearch({ quality }: PreparedModel): string | undefined {
  if (quality === undefined) return 'The run has neither an eval set nor a given config, so the checkpoint is stored exact.';
  const { baseline, halfBaselines = [], thresholds } = quality.bound;
  const bounded = Object.keys(thresholds);
  const unusable = firstNotFinite(baseline, bounded);
  if (unusable !== undefined) return `The uploaded weights give no finite ${unusable}, so the checkpoint is stored exact.`;
  const unusableHalf = halfBaselines.map((half) => firstNotFinite(half, bounded)).find((name) => name !== undefined);
  return unusableHalf && `The uploaded weights give no finite ${unusableHalf} on one half of the eval set, so the checkpoint is stored exact.`;
}

function firstNotFinite(values: MetricValues, names: readonly string[]): string | undefined {
  return names.find((name) => !Number.isFinite(values[name]));
}

async function exact(attempt: EncodeAttempt, { layerTypes }: PreparedModel, exactReason: string, trialCount: number): Promise<Decision> {
  const { source, run } = attempt;
  return { plan: await withCopies(attempt, planExact(source.files, layerTypes, run.state)), configGiven: false, trialCount, exactReason };
}

/** The residual method, set up for one checkpoint and ancestor; once for each, since what it takes to estimate bytes is what it takes to encode them. */
export function residualOf(attempt: EncodeAttempt, basis: DecisionBasis): Promise<Quantization> {
  const key = basis.ancestor ?? basis.model;
  const known = attempt.quantizations.get(key) ?? makeResidual(attempt, basis);
  attempt.quantizations.set(key, known);
  return known;
}

function makeResidual(attempt: EncodeAttempt, basis: DecisionBasis): Promise<Quantization> {
  const { model, ancestor, candidates, resumption } = basis;
  const { source, ctx, run, warn } = attempt;
  return residualQuantization({
    source,
    plan: model.plan,
    ancestor,
    core: ctx.core,
    last: lastConfig(candidates),
    warn,
    feedback: model.feedback,
    moves: attempt.moves,
    rounding: run.search.rounding,
    hysteresis: run.search.hysteresis,
    resumption,
    ...pace(attempt),
  });
}

/** The config of the checkpoint before. */
export function lastConfig(candidates: readonly AncestorCandidate[]): QuantizationConfig | undefined {
  return candidates.map(({ checkpoint }) => checkpoint.result?.config).find((config) => config !== undefined);
}

async function makeQuantization(attempt: EncodeAttempt, basis: DecisionBasis, given: QuantizationConfig | undefined): Promise<Quantization> {
  if (methodOf(attempt) === 'residual') return residualOf(attempt, basis);
  const { model, ancestor, candidates } = basis;
  const { source, ctx, run, checkpoint } = attempt;
  const { plan } = model;
  const last = lastConfig(candidates);
  const statistics = await gatherStatistics(source, plan, ctx.core, pace(attempt));
  if (statistics.sensitivityUnusable !== undefined) attempt.warn(statistics.sensitivityUnusable);
  const missing = given?.method === 'inshrinkerator' ? whatGivenConfigLacks(given, statistics) : undefined;
  if (missing !== undefined) attempt.warn(missing);
  const quantizer = new Quantizer(source, plan, statistics, ctx.core, {
    ...pace(attempt),
    clustering: run.search.clustering,
    seed: codebookSeed(run, checkpoint),
  });
  const hasSensitivity = statistics.sensitivity !== undefined;
  return new InshrinkeratorQuantization({ source, plan, quantizer, ancestor, core: ctx.core, options: run.search, hasSensitivity, last });
}

function search(attempt: EncodeAttempt, { model, trialsMax }: { readonly model: PreparedModel; readonly trialsMax: number }, quantization: Quantization) {
  const { checkpoint, run, source, ctx, directory, signal } = attempt;
  return searchCheckpoint(
    { checkpointId: checkpoint.id, source, plan: model.plan, quantization, ...model.quality!, trialsMax: Math.min(run.search.trialsMax, trialsMax) },
    {
      catalog: ctx.catalog,
      directory,
      blockParallel: ctx.blockParallel,
      signal,
      tracer: ctx.tracer,
      onTrial: () => ctx.publish(checkpoint.id, { type: 'changed' }),
    },
  );
}
