import { statSync } from 'node:fs';
import type { DeviceKind } from '../checkpoint/device-kind.ts';
import type { EvalParts, MetricValues, PartedMetrics } from '../checkpoint/quality/quality.ts';
import { evaluationGraph, type EvaluationGraph } from '../graph/evaluation-graph.ts';
import { gramGraph, gramOpsetMin } from '../graph/grams/gram-graph.ts';
import { planGrams } from '../graph/grams/plan-grams.ts';
import { weightUses } from '../graph/layers/weight-uses.ts';
import type { NativeCore } from '../native/core.ts';
import { checkBatches } from './check/check-batches.ts';
import { spreadBatches, type GramsBeside } from './batches/batch-results.ts';
import { collectGrams } from './batches/collect-grams.ts';
import { GramSums } from './batches/gram-sums.ts';
import { computesAlike, optimizedGraph } from './batches/optimized-graph.ts';
import type {
  EvaluationRequest,
  ExamineRequest,
  GramOptions,
  GramRequest,
  LocalEvalSet,
} from './evaluation-request.ts';
import type { EvalSetSpec } from '../checkpoint/quality/eval-set-spec.ts';
import type { WeightBinding } from '../graph/weight-binding.ts';
import type { InputGram } from '../graph/grams/input-gram.ts';
import { openTensors } from './batches/local-tensors.ts';
import { prepareSet, type PreparedSet } from './batches/prepared-set.ts';
import type { Examination } from './examine/examination.ts';
import { runBatches, runParts, type BatchRun } from './batches/run-batches.ts';
import { runExamination } from './examine/run-examination.ts';
import { roundedWeights, weightTensors, zeroWeights, type RoundedWeights } from './batches/weight-tensors.ts';

/** Most sessions that a child caches: a run's search uses one, and two runs may take turns. */
const preparedSetsMax = 2;

/**
 * Largest graph without its fed weights, in bytes, of which two optimized forms are compared: 16 MiB. They are written
 * to files; what is not fed, such as the frozen part of a model, is in them.
 */
const comparedGraphMaxBytes = 16 * 2 ** 20;

/** The work of an evaluation child, one request at a time; sessions are cached from one candidate to the next. */
export class EvaluationService {
  readonly #core: Pick<NativeCore, 'convert' | 'mapFileSync'>;
  /** Least recently used first. */
  readonly #prepared = new Map<string, PreparedSet>();

  constructor(core: Pick<NativeCore, 'convert' | 'mapFileSync'>) {
    this.#core = core;
  }

  /** Metric values over all batches. Errors: those of {@link Evaluator}, except those of a killed child. */
  async evaluate(request: EvaluationRequest): Promise<MetricValues> {
    return runBatches(await this.#open(request));
  }

  /**
   * The same, and the values of parts of the set. Errors: also `eval-input-mismatch` if halves are wanted and the
   * batches do not make two.
   */
  async evaluateParts(request: EvaluationRequest, parts: EvalParts): Promise<PartedMetrics> {
    return runParts(await this.#open(request), parts);
  }

  /**
   * The same, and the findings on the set. Errors: also `eval-label-mismatch` if outputs are probabilities already, and
   * `storage-full`.
   */
  async examine(request: ExamineRequest): Promise<Examination> {
    const { reference, grams: wanted, ...evaluation } = request;
    const opened = await this.#open(evaluation);
    const run = {
      ...opened,
      reference,
      needsHalves: request.needsHalves ?? false,
      needsGroups: request.needsGroups ?? false,
    };
    const grams = wanted && (await this.#gramsBeside(evaluation, wanted, opened.prepared));
    if (grams === undefined) return runExamination(run);
    try {
      const examination = await runExamination({ ...run, grams });
      return { ...examination, grams: grams.sums.write(wanted!.resultPath) };
    } finally {
      await grams.session.release();
    }
  }

  /**
   * Gram matrices to be measured in an examination; undefined if there are none, or if they need a run of their own.
   * On a GPU they do: only what the runtime makes of both graphs for the processor has been compared.
   */
  async #gramsBeside(
    { evalSet, binding, device = 'cpu' }: EvaluationRequest,
    { resultPath, bytesMax, batchesMax, firstHalf }: GramOptions,
    prepared: PreparedSet,
  ): Promise<GramsBeside | undefined> {
    if (device !== 'cpu') return undefined;
    const { evaluation, graph, plan } = this.#gramGraph(evalSet, binding, bytesMax);
    if (graph.outputNames.length === 0) return undefined;
    if (Math.max(evaluation.bytes.length, graph.bytes.length) > comparedGraphMaxBytes) return undefined;
    const path = `${resultPath}.onnx`;
    const alone = await optimizedGraph(evaluation.bytes, path);
    await alone.session.release();
    const beside = await optimizedGraph(graph.bytes, path);
    const { session } = beside;
    if (computesAlike(alone.bytes, beside.bytes, namesOfOutputs(evalSet.spec)))
      return {
        session,
        sums: new GramSums(plan, graph.outputNames),
        batches: new Set(spreadBatches(prepared, { batchesMax, firstHalf })),
      };
    await session.release();
    return undefined;
  }

  #gramGraph(evalSet: LocalEvalSet, binding: WeightBinding, bytesMax: number) {
    const evaluation = this.#graph(evalSet, new Set(Object.keys(binding)));
    const plan = planGrams(
      evaluation.graph.opset < gramOpsetMin ? [] : weightUses(evaluation.graph),
      binding,
      bytesMax,
    );
    return { evaluation, plan, graph: gramGraph(evaluation.bytes, plan.outputs) };
  }

  /**
   * Writes the Gram matrices and returns their descriptions. Its session is not cached: a run needs it once for each
   * base. Errors: those of {@link evaluate}, `storage-full`.
   */
  async inputGrams({
    evalSet,
    binding,
    weightPaths,
    device,
    resultPath,
    bytesMax,
    batchesMax,
    firstHalf = false,
  }: GramRequest): Promise<readonly InputGram[]> {
    const core = this.#core;
    const { evaluation, plan, graph } = this.#gramGraph(evalSet, binding, bytesMax);
    const { bytes, outputNames } = graph;
    const prepared = await prepareSet({ core, evalSet, evaluation: { ...evaluation, bytes }, device });
    try {
      const weights = await weightTensors({
        core,
        feeds: prepared.feeds,
        binding,
        tensors: openTensors(weightPaths, core.mapFileSync),
      });
      return await collectGrams({ prepared, weights, plan, outputNames, resultPath, batchesMax, firstHalf });
    } finally {
      await prepared.session.release();
    }
  }

  /**
   * Checks graph, batches and spec against each other and runs the batches that may be wrong, with zeros for weights
   * that the graph leaves open. If such a weight is an integer (a shape, an index), zeros would prove nothing, and the
   * run is omitted.
   */
  async check(evalSet: LocalEvalSet): Promise<void> {
    const prepared = await prepareSet({ core: this.#core, evalSet, evaluation: this.#graph(evalSet, 'external') });
    try {
      const floating = prepared.feeds.every(
        (feed) => feed.dtype === 'F32' || feed.dtype === 'F64' || feed.dtype === 'F16',
      );
      if (floating)
        await checkBatches({ core: this.#core, prepared, spec: evalSet.spec, weights: zeroWeights(prepared.feeds) });
    } finally {
      await prepared.session.release();
    }
  }

  async #open({
    evalSet,
    binding,
    weightPaths,
    device,
    observed,
    reference: kept,
  }: EvaluationRequest): Promise<BatchRun & { readonly roundedWeights: RoundedWeights }> {
    const core = this.#core;
    const prepared = await this.#prepare(evalSet, { fed: new Set(Object.keys(binding)), device });
    const tensors = openTensors(weightPaths, core.mapFileSync);
    const weights = await weightTensors({ core, feeds: prepared.feeds, binding, tensors });
    return {
      core,
      prepared,
      spec: evalSet.spec,
      observed,
      kept,
      weights,
      roundedWeights: roundedWeights(prepared.feeds, binding, tensors),
    };
  }

  #graph(evalSet: LocalEvalSet, fed: ReadonlySet<string> | 'external'): EvaluationGraph {
    return evaluationGraph(new Uint8Array(this.#core.mapFileSync(evalSet.graphPath)), fed);
  }

  async #prepare(evalSet: LocalEvalSet, { fed, device = 'cpu' }: Preparation): Promise<PreparedSet> {
    const key = identityOf(evalSet, { fed, device });
    const prepared =
      this.#prepared.get(key) ??
      (await prepareSet({ core: this.#core, evalSet, evaluation: this.#graph(evalSet, fed), device }));
    this.#prepared.delete(key);
    this.#prepared.set(key, prepared);
    for (const [oldest, { session }] of this.#prepared) {
      if (this.#prepared.size <= preparedSetsMax) break;
      this.#prepared.delete(oldest);
      await session.release();
    }
    return prepared;
  }
}

/** How a set is made ready: which weights are fed, and what runs the graph. */
interface Preparation {
  readonly fed: ReadonlySet<string>;
  readonly device?: DeviceKind | undefined;
}

/** Equal only for the same unchanged files, fed in the same way to the same device: temporary paths are reused. */
function identityOf({ graphPath, batchesPath, spec }: LocalEvalSet, { fed, device }: Preparation): string {
  const files = [graphPath, batchesPath].map((path) => {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return [path, dev, ino, size, mtimeNs].map(String);
  });
  return JSON.stringify([files, spec, [...fed], device]);
}

/** The outputs that metrics of the set read; observed metrics read the same. */
function namesOfOutputs({ metrics }: EvalSetSpec): string[] {
  return [...new Set(metrics.map(({ output }) => output))];
}
