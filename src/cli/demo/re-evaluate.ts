import { readFileSync } from 'node:fs';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { parseSafetensorsHeader } from '../../checkpoint/safetensors/parse-safetensors.ts';
import type { MetricValues } from '../../checkpoint/quality/quality.ts';
import { createEvaluator } from '../../evaluate/create-evaluator.ts';
import { bindUploaded } from './bind-uploaded.ts';

/** A request to the re-evaluating process: measure a model's files with an eval set on disk. */
export interface ReEvaluation {
  readonly graphPath: string;
  readonly batchesPath: string;
  readonly spec: EvalSetSpec;
  readonly modelPaths: readonly string[];
  /**
   * The uploaded weights. Initializers may have to be matched to tensors by equal bytes, which rebuilt files no longer
   * have.
   */
  readonly uploadedPaths: readonly string[];
}

export type ReEvaluationAnswer = { readonly metrics: MetricValues } | { readonly error: string };

/** Deadline of the evaluation in ms, and its memory limit. */
const deadlineMs = 600_000;
const memoryMaxBytes = 8 * 1024 ** 3;

const evaluator = createEvaluator({ parallel: 1, deadlineMs, memoryMaxBytes });

async function reEvaluate({
  graphPath,
  batchesPath,
  spec,
  modelPaths,
  uploadedPaths,
}: ReEvaluation): Promise<MetricValues> {
  const tensors = uploadedPaths.flatMap((path) => {
    const bytes = readFileSync(path);
    return parseSafetensorsHeader(bytes, bytes.length).tensors.map((entry) => ({
      ...entry,
      bytes: bytes.subarray(entry.startBytes, entry.endBytes),
    }));
  });
  const graphBytes = readFileSync(graphPath);
  const binding = await bindUploaded(graphBytes, tensors, spec);
  return evaluator.evaluate({ evalSet: { graphPath, batchesPath, spec }, binding, weightPaths: modelPaths });
}

// A process of its own that knows nothing of the hub. It answers its parent's requests one by one until the channel
// closes.
process.on('message', (request: ReEvaluation) => {
  void reEvaluate(request)
    .then(
      (metrics): ReEvaluationAnswer => ({ metrics }),
      (error: unknown): ReEvaluationAnswer => ({ error: error instanceof Error ? error.message : String(error) }),
    )
    .then((answer) => process.send?.(answer));
});
process.on('disconnect', () => void evaluator.close());
