import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError } from '../checkpoint/firn-error.ts';
import { methodConfigOf } from '../checkpoint/options/quantization-config.ts';
import type { LayerType } from '../checkpoint/layer-type.ts';
import type { MeasuredUpload, MetricLimit } from '../checkpoint/quality/degradation-limits.ts';
import type { MetricValues, QualityThresholds } from '../checkpoint/quality/quality.ts';
import { describeExamination, type ExaminationWords } from '../evaluate/examine/describe-examination.ts';
import type { Examination } from '../evaluate/examine/examination.ts';
import { describeBinding } from '../graph/binding/describe/describe-binding.ts';
import { bindGraph, type BoundGraph } from './eval-set/bind-graph.ts';
import { bindingWarnings } from './eval-set/binding-warnings.ts';
import { unexpectedBaseline, unmeasuredExpectations } from './measure/compare-expected.ts';
import { doubtedFigure } from './eval-set/doubted-figure.ts';
import { pace, type EncodeAttempt } from './encode-attempt.ts';
import { expectedReferences } from './lineage/file-references.ts';
import { measuredUploads } from './lineage/measured-uploads.ts';
import { planCopies } from './plan/find-copies.ts';
import { wantedGrams, type GramMatrices } from './method/gram-matrices.ts';
import type { QuantizableModel } from './method/method.ts';
import type { QualityBound } from './measure/judge-metrics.ts';
import { evalSetDirectory, localEvalSet } from './eval-set/local-eval-set.ts';
import { planMasters } from './plan/find-masters.ts';
import { modelLayerTypes } from './plan/model-layer-types.ts';
import { overrideWarnings } from './plan/override-warnings.ts';
import { observedTrials } from './measure/observed-trials.ts';
import { isQuantized, planCodings, planExact, wouldBeQuantized, type CodingPlan } from './plan/plan-codings.ts';
import { QualityGate, type Measurement } from './measure/quality-gate.ts';
import { settleBound, type SettledBound } from './measure/settle-bound.ts';
import type { SourceFile } from './upload/model-source.ts';
import { shardIndexWarnings } from './upload/shard-index-warnings.ts';
import { someOf } from './some-of.ts';
import { stateWarnings } from './plan/state-warnings.ts';
import { writeCandidate } from './measure/write-candidate.ts';

/** A checkpoint after reading: its planned codings, and the bound of its quality. */
export interface PreparedModel extends QuantizableModel {
  readonly layerTypes: ReadonlyMap<string, LayerType>;
  /** Absent without an eval set, and for exact runs. */
  readonly quality?: ModelQuality;
}

/** The bound of a checkpoint's quality, and the findings on it. */
export interface ModelQuality {
  readonly gate: QualityGate;
  readonly bound: QualityBound;
  /** What the thresholds come to, by bounded metric. */
  readonly limits: Readonly<Record<string, MetricLimit>>;
  /** What other thresholds would come to. */
  readonly settle: (thresholds: QualityThresholds) => SettledBound;
  /** Earlier uploads that this one was trained through, the nearest first. */
  readonly earlier: readonly MeasuredUpload[];
  /** Rows of the eval set. */
  readonly rows: number;
  /** Trials that measure all observed metrics: see `observedTrials`. */
  readonly observedTrials: number;
  /** Values of observed metrics on the uploaded weights. */
  readonly observed?: MetricValues;
  /** How eval set and checkpoint were read, in sentences. */
  readonly understood: readonly string[];
  /** The reason not to trust the measured figures, in a sentence. */
  readonly distrust?: string;
}

/**
 * Layer types, codings and, with an eval set, the metrics of the uploaded weights. Rejects with the errors of graph,
 * store and evaluation.
 */
export async function prepareModel(attempt: EncodeAttempt): Promise<PreparedModel> {
  const {
    run,
    source: { files },
    ctx,
    signal,
  } = attempt;
  (await shardIndexWarnings(files, signal)).forEach(attempt.warn);
  if (run.state !== undefined) stateWarnings(files, run.state).forEach(attempt.warn);
  if (run.fidelity === 'exact') {
    const layerTypes = modelLayerTypes(run, files);
    overrideWarnings(run.layerTypes, files).forEach(attempt.warn);
    return { plan: await withCopies(attempt, planExact(files, layerTypes, run.state)), layerTypes };
  }
  const bound = run.evalSetId === undefined ? undefined : await bind(attempt, run.evalSetId);
  const measured = bound?.measured;
  const layerTypes = modelLayerTypes(run, files, bound && measured && { ...bound, twins: measured.twins });
  if (measured !== undefined) attempt.source.shareGradients(measured.twins);
  // A method that restores weights exactly as uploaded needs no measuring.
  const isLossless = methodConfigOf(attempt.method.name).unsearched !== undefined;
  const unmeasured = (isLossless ? undefined : measured?.unmeasured) ?? new Set<string>();
  const options = { ...pace(attempt), codingOf: attempt.method.codingOf, keepExact: unmeasured, state: run.state };
  const plan = await withCopies(attempt, await planCodings(attempt.source, layerTypes, options));
  const spared = [...unmeasured].filter((name) => wouldBeQuantized(name, files, layerTypes));
  const sparedNames = new Set(spared);
  if (spared.length > 0) attempt.warn(`Tensors that the eval graph does not use are kept exact: ${someOf(spared)}.`);
  if (bound !== undefined)
    bindingWarnings(bound, files, new Set([...unmeasured].filter((name) => !sparedNames.has(name)))).forEach(
      attempt.warn,
    );
  overrideWarnings(run.layerTypes, files, isLossless ? undefined : plan).forEach(attempt.warn);
  if (plan.nonFinite.length > 0)
    attempt.warn(`Tensors with NaN or infinite weights are kept exact: ${someOf(plan.nonFinite)}.`);
  if (bound === undefined) return { plan, layerTypes };
  const { standardErrors = 0, divergenceMax } = run.search;
  const gate = new QualityGate(bound, ctx.evaluator, {
    evalBatches: run.search.evalBatches,
    groups: standardErrors > 0,
    divergence: divergenceMax !== undefined,
    device: attempt.device,
    referencePath: join(attempt.directory, 'reference.f32'),
  });
  const { baseline, rows, readings, words, distrust, gramMatrices } = await evaluateUpload(attempt, plan, {
    gate,
    twins: bound.measured.twins,
  });
  words.warnings.forEach(attempt.warn);
  const { whole, observed } = baseline;
  const earlier = await measuredUploads(ctx.catalog, run, attempt.checkpoint);
  const settle = (thresholds: QualityThresholds): SettledBound =>
    settleBound({ gate, baseline, earlier, standardErrors, divergenceMax }, thresholds);
  const { bound: qualityBound, limits, words: limitsInWords } = settle(run.thresholds);
  const notCompared = unmeasuredExpectations(attempt.checkpoint.expects, whole);
  if (notCompared !== undefined) attempt.warn(notCompared);
  const understood = [...words.understood, ...describeBinding(bound.report), ...limitsInWords];
  const quality = {
    gate,
    bound: qualityBound,
    limits,
    settle,
    earlier,
    rows,
    observedTrials: observedTrials(weightsOf(attempt.source.files), readings),
    ...(observed && { observed }),
    understood,
    ...(distrust !== undefined && { distrust }),
  };
  return { plan, layerTypes, quality, ...(gramMatrices && { gramMatrices }) };
}

/**
 * The plan with copies of equal tensors, and with masters of the tensors rounded from them. Rejects with the errors of
 * store and core.
 */
export async function withCopies(attempt: EncodeAttempt, plan: CodingPlan): Promise<CodingPlan> {
  const { source, signal, run, ctx, warn } = attempt;
  const { files } = source;
  const copies = await planCopies({ files, plan, apart: expectedReferences(attempt, plan), signal });
  return planMasters({ files, plan: copies, state: run.state, core: ctx.core, warn, signal });
}

async function bind({ ctx, run, source, signal }: EncodeAttempt, evalSetId: string): Promise<BoundGraph> {
  const evalSet = await ctx.catalog.evalSets.get(evalSetId);
  if (evalSet === undefined) throw new FirnError('eval-set-not-ready', 'The eval set of the run is gone.');
  const local = await localEvalSet(ctx.store, evalSet, evalSetDirectory(ctx.workDirectory), signal);
  return bindGraph(ctx, run, local, source.files, signal);
}

interface EvaluatedUpload {
  readonly baseline: Measurement;
  /** Rows of the eval set. */
  readonly rows: number;
  readonly readings: Examination['readings'];
  readonly words: ExaminationWords;
  /** See {@link ModelQuality}. */
  readonly distrust?: string;
  readonly gramMatrices?: GramMatrices;
}

/** Measures the uploaded weights and, if useful, the inputs of their matrices. */
async function evaluateUpload(
  attempt: EncodeAttempt,
  plan: CodingPlan,
  { gate, twins }: { readonly gate: QualityGate; readonly twins: ReadonlyMap<string, string> },
): Promise<EvaluatedUpload> {
  const { source, ctx, run, checkpoint, method, warn, signal } = attempt;
  const directory = join(attempt.modelDirectory, 'uploaded');
  await mkdir(directory);
  try {
    const paths = await writeCandidate({ source, plan }, directory, pace(attempt));
    const weightPaths = [...paths.values()];
    const measuresInputs = method.measureInputs !== undefined && isQuantized(plan);
    const grams = measuresInputs ? wantedGrams(directory) : undefined;
    const { baseline, examination } = await gate.examine(weightPaths, { grams, signal });
    const words = describeExamination(examination);
    const { rows, readings } = examination;
    const { expects } = checkpoint;
    const confirmed = Object.keys(expects ?? {}).some((name) => baseline.whole[name] !== undefined);
    const distrust =
      unexpectedBaseline(expects, baseline.whole, run.search.expectsWithin) ??
      doubtedFigure({ doubts: words.doubts, allowed: gate.spec.allowDoubted, confirmed });
    if (distrust !== undefined) return { baseline, rows, readings, words, distrust };
    if (!measuresInputs) return { baseline, rows, readings, words };
    const gramMatrices = await method.measureInputs!({
      gate,
      measured: examination.grams,
      weightPaths,
      directory,
      files: source.files,
      twins,
      core: ctx.core,
      warn,
      signal,
    });
    return { baseline, rows, readings, words, ...(gramMatrices && { gramMatrices }) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function weightsOf(files: readonly SourceFile[]): number {
  const tensors = files.flatMap(({ role, layout }) => (role === 'model' ? layout.tensors : []));
  return tensors.reduce((sum, { elementCount }) => sum + elementCount, 0);
}
