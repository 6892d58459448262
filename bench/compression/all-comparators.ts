import type { CheckpointWeights } from './series/checkpoint-weights.ts';
import { adaptiveUniform } from './comparators/adaptive-uniform.ts';
import type { Comparator } from './comparators/comparator.ts';
import { entropyUniform } from './comparators/entropy-uniform.ts';
import { plainKmeans } from './comparators/plain-kmeans.ts';
import type { MethodResult } from './method-result.ts';
import { runComparator, type ComparatorTools } from './run-comparator.ts';

/** A comparator that is ready to run over a series, with its knobs hidden. */
export interface NamedRun {
  readonly name: string;
  run(checkpoints: readonly CheckpointWeights[], tools: ComparatorTools): Promise<MethodResult>;
}

/** Methods of other papers, in the order of the table. */
export const allComparators: readonly NamedRun[] = [named(entropyUniform), named(adaptiveUniform), named(plainKmeans)];

function named<Knob>(comparator: Comparator<Knob>): NamedRun {
  return { name: comparator.name, run: (checkpoints, tools) => runComparator(comparator, checkpoints, tools) };
}
