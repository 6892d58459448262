import { FirnError } from '../../../checkpoint/firn-error.ts';
import { quoteName } from '../../../checkpoint/words/quote-name.ts';
import type { GraphDescription } from '../../describe-graph.ts';
import { graphsOf } from '../../onnx/graph-walk.ts';
import type { NodeProto } from '../../onnx/onnx_pb.ts';
import { plainExport, unfoldedExport } from '../describe/export-advice.ts';

/** Inputs of BatchNormalization that are equal before training and differ after it. */
const movedApart = [
  { weight: 2, statistic: 3, words: 'as the bias and as the running mean' },
  { weight: 1, statistic: 4, words: 'as the scale and as the running variance' },
] as const;

/**
 * Refuses a graph in which one stored tensor is both bias and running mean of a batch normalization, or both scale and
 * running variance: an exporter merged tensors that were equal before training, and no checkpoint can be right in both
 * places. From the graph alone. Cost: a pass over the nodes. Errors: `graph-missing-weights`.
 */
export function refuseMergedStatistics(
  { model, initializers }: Pick<GraphDescription, 'model' | 'initializers'>,
  isConstant: (name: string) => boolean,
): void {
  const stored = new Set(initializers.map((each) => each.name));
  const sources = new Map<string, string>();
  const norms: NodeProto[] = [];
  for (const { graph, place } of graphsOf(model)) {
    if (place === 'aside') continue;
    for (const node of graph.node) {
      if (!isOnnx(node)) continue;
      if (isSame(node)) sources.set(node.output[0] ?? '', node.input[0] ?? '');
      if (node.opType === 'BatchNormalization' && !takesBatchStatistics(node)) norms.push(node);
    }
  }
  for (const norm of norms) {
    for (const { weight, statistic, words } of movedApart) {
      const [name, other] = [rootOf(norm.input[weight] ?? '', sources), rootOf(norm.input[statistic] ?? '', sources)];
      if (name === other && stored.has(name) && !isConstant(name)) throw merged(name, words);
    }
  }
}

function merged(name: string, words: string): FirnError {
  return new FirnError(
    'graph-missing-weights',
    `The graph takes ${quoteName(name)} both ${words} of a batch normalization: the exporter put one weight ` +
      'in place of several that were equal when it ran, as they are before training. ' +
      `Export the graph with ${plainExport}, or with ${unfoldedExport}.`,
  );
}

function isOnnx({ domain }: NodeProto): boolean {
  return domain === '' || domain === 'ai.onnx';
}

function isSame({ opType }: NodeProto): boolean {
  return opType === 'Identity' || opType === 'Cast';
}

/** In training mode the operator uses mean and variance of the batch instead of its inputs. */
function takesBatchStatistics({ attribute }: NodeProto): boolean {
  return attribute.some(({ name, i }) => name === 'training_mode' && i === 1n);
}

function rootOf(name: string, sources: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let root = name;
  for (let next = sources.get(root); next !== undefined && !seen.has(next); next = sources.get(root)) {
    seen.add(next);
    root = next;
  }
  return root;
}
