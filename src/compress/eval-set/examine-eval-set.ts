import type { MetricValues } from '../../checkpoint/quality/quality.ts';
import { describeExamination } from '../../evaluate/examine/describe-examination.ts';
import type { LocalEvalSet } from '../../evaluate/evaluation-request.ts';
import type { Evaluator } from '../../evaluate/evaluator.ts';
import { describeBinding } from '../../graph/binding/describe/describe-binding.ts';
import { bindLocalGraph } from './bind-graph.ts';
import { doubtedIsExact } from './doubted-figure.ts';
import { bindingWarnings } from './binding-warnings.ts';
import type { GraphCache } from './describe-local-graph.ts';
import { openModelFiles } from '../upload/open-model-files.ts';

/** Report on an eval set from one checkpoint, before any training. */
export interface EvalSetReport {
  /** Each metric of the set for these weights. */
  readonly values: MetricValues;
  /** How graph, batches, labels and weights were read, in sentences. */
  readonly understood: readonly string[];
  /** Probable mistakes, in sentences. */
  readonly warnings: readonly string[];
  /** Duration of one evaluation on this machine, in seconds, without loading graph and weights. */
  readonly secondsPerEvaluation: number;
}

/**
 * Binds the graph of an eval set to a model on local disk and measures it once, as the first checkpoint of a run would
 * be. Rejects with the errors that would fail that checkpoint: those of `bindLocalGraph` and of the evaluator.
 */
export async function examineEvalSet(
  { evaluator, graphs }: { readonly evaluator: Pick<Evaluator, 'examine'>; readonly graphs: GraphCache },
  evalSet: LocalEvalSet,
  modelPaths: readonly string[],
  signal?: AbortSignal,
): Promise<EvalSetReport> {
  const { files, close } = await openModelFiles(modelPaths);
  try {
    const bound = await bindLocalGraph(graphs, evalSet, files, signal);
    const { binding, report, measured } = bound;
    const examination = await evaluator.examine({ evalSet, binding, weightPaths: modelPaths }, signal);
    const { understood, warnings, doubts } = describeExamination(examination);
    const consequence = doubts.length > 0 && evalSet.spec.allowDoubted !== true ? [doubtedIsExact] : [];
    return {
      values: examination.whole,
      understood: [...understood, ...describeBinding(report)],
      warnings: [...warnings, ...consequence, ...bindingWarnings(bound, files, measured.unmeasured)],
      secondsPerEvaluation: examination.seconds,
    };
  } finally {
    await close();
  }
}
