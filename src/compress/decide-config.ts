import type { MetricValues } from '../checkpoint/quality/quality.ts';
import { methodConfigOf, type QuantizationConfig } from '../checkpoint/options/quantization-config.ts';
import { pace, type EncodeAttempt } from './encode-attempt.ts';
import type { QuantizationBasis } from './method/method.ts';
import { isQuantized, planExact, type CodingPlan } from './plan/plan-codings.ts';
import { withCopies, type PreparedModel } from './prepare-model.ts';
import type { Quantization, QuantizationNotes, QuantizedModel } from './method/quantized-model.ts';
import type { MeasuredTrial } from './measure/measured-trials.ts';
import { searchCheckpoint, type SearchOutcome } from './measure/search-checkpoint.ts';

/** How a checkpoint is to be stored. */
export interface Decision {
  /** The plan of the prepared model, or one in which everything is exact. */
  readonly plan: CodingPlan;
  /** Absent when everything is exact. */
  readonly quantized?: {
    readonly model: QuantizedModel;
    readonly config: QuantizationConfig;
    /** The config's trial in this attempt, if there was one. */
    readonly measured?: MeasuredTrial | undefined;
  };
  /** True when the config was given with the upload or the run; false when it was found. */
  readonly configGiven: boolean;
  readonly trialCount: number;
  /** Why a checkpoint that was to be quantized is stored exact, in a sentence. */
  readonly exactReason?: string;
  readonly notes?: QuantizationNotes | undefined;
}

export interface DecisionBasis extends QuantizationBasis {
  readonly model: PreparedModel;
}

/**
 * Decides the config of a checkpoint: the given one, else the one found within `trialsMax` trials and those the run
 * allows. If there is none, everything is exact, with the reason.
 */
export async function decideConfig(
  attempt: EncodeAttempt,
  basis: DecisionBasis & { readonly trialsMax: number },
): Promise<Decision> {
  const { plan } = basis.model;
  if (!isQuantized(plan)) {
    if (attempt.run.fidelity === 'lossy')
      attempt.warn('No tensor of the model is one to quantize, so the checkpoint is stored exact.');
    return { plan, configGiven: false, trialCount: 0 };
  }
  const { unsearched } = methodConfigOf(attempt.method.name);
  const given = attempt.given ?? unsearched;
  // Weights that are restored exactly as uploaded do not depend on the measured figures.
  const hindrance =
    unsearched === undefined
      ? (basis.model.quality?.distrust ?? (given === undefined ? whyNoSearch(basis.model) : undefined))
      : undefined;
  if (unsearched === undefined && attempt.checkpoint.final?.exact === true)
    return exact(attempt, basis.model, undefined, 0);
  if (hindrance !== undefined) return exact(attempt, basis.model, hindrance, 0);
  const quantization = await attempt.session.quantization(basis);
  const { config, trialCount, measured }: SearchOutcome =
    given === undefined ? await search(attempt, basis, quantization) : { config: given, trialCount: 0 };
  if (config === undefined) return exact(attempt, basis.model, nothingPassed(trialCount), trialCount);
  const notes = await quantization.describe?.(config, pace(attempt));
  return {
    plan,
    quantized: { model: await quantization.quantize(config), config, measured },
    configGiven: given !== undefined,
    trialCount,
    notes,
  };
}

/** A search has a limit of trials, so the sentence names their number. */
function nothingPassed(trialCount: number): string {
  return (
    `None of the ${trialCount} configs tried stayed inside the quality threshold, so the checkpoint is stored ` +
    'exact.'
  );
}

/** A sentence if there is nothing to search by. */
function whyNoSearch({ quality }: PreparedModel): string | undefined {
  if (quality === undefined)
    return 'The run has neither an eval set nor a given config, so the checkpoint is stored exact.';
  const { baseline, halfBaselines = [], thresholds } = quality.bound;
  const bounded = Object.keys(thresholds);
  const unusable = firstNotFinite(baseline, bounded);
  if (unusable !== undefined)
    return `The uploaded weights give no finite ${unusable}, so the checkpoint is stored exact.`;
  const unusableHalf = halfBaselines.map((half) => firstNotFinite(half, bounded)).find((name) => name !== undefined);
  return (
    unusableHalf &&
    `The uploaded weights give no finite ${unusableHalf} on one half of the eval set, so the checkpoint is ` +
      'stored exact.'
  );
}

function firstNotFinite(values: MetricValues, names: readonly string[]): string | undefined {
  return names.find((name) => !Number.isFinite(values[name]));
}

async function exact(
  attempt: EncodeAttempt,
  { layerTypes }: PreparedModel,
  exactReason: string | undefined,
  trialCount: number,
): Promise<Decision> {
  const { source, run } = attempt;
  return {
    plan: await withCopies(attempt, planExact(source.files, layerTypes, run.state)),
    configGiven: false,
    trialCount,
    ...(exactReason !== undefined && { exactReason }),
  };
}

function search(
  attempt: EncodeAttempt,
  { model, trialsMax }: { readonly model: PreparedModel; readonly trialsMax: number },
  quantization: Quantization,
) {
  const { checkpoint, run, source, ctx, modelDirectory, signal } = attempt;
  return searchCheckpoint(
    {
      checkpointId: checkpoint.id,
      source,
      plan: model.plan,
      quantization,
      ...model.quality!,
      weightErrorMax: run.search.weightErrorMax,
      trialsMax: Math.min(run.search.trialsMax, trialsMax),
    },
    {
      catalog: ctx.catalog,
      core: ctx.core,
      measured: attempt.measured,
      directory: modelDirectory,
      blockParallel: ctx.blockParallel,
      signal,
      tracer: ctx.tracer,
      onTrial: () => ctx.publish(checkpoint.id, { type: 'changed' }),
    },
  );
}
