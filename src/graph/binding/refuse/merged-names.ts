import { FirnError } from '../../../checkpoint/firn-error.ts';
import { quoteName } from '../../../checkpoint/words/quote-name.ts';
import type { GraphInitializer } from '../../describe-graph.ts';
import type { WeightBinding } from '../../weight-binding.ts';
import type { KnownBytes } from '../bind-request.ts';
import { plainExport, unfoldedExport } from '../describe/export-advice.ts';
import type { HeaderPairs } from '../pair/pair-by-headers.ts';
import type { WeightTrace } from '../weight-trace.ts';
import { isShared } from './merged-weights.ts';

/** Norms and biases: they are equal before training, and models hardly ever share them. */
function isVector({ shape }: GraphInitializer): boolean {
  return shape.length <= 1;
}

/**
 * Refuses a graph that gives one vector the name of a second weight that the checkpoint lacks. PyTorch's older exporter
 * writes an Identity if it merged equal weights, and none if the model shares one; so the second weight would be
 * measured with the first one's numbers. From headers alone. Errors: `graph-missing-weights`.
 */
export function refuseMergedNames(
  { graph, tensors, prefix, trace, isConstant, isLeftOut }: HeaderPairs,
  binding: WeightBinding,
): void {
  const present = new Set(tensors.map((tensor) => tensor.name));
  const inCheckpoint = (name: string) =>
    prefix !== undefined && name.startsWith(prefix.graph) ? prefix.checkpoint + name.slice(prefix.graph.length) : name;
  for (const initializer of graph.initializers) {
    if (!isVector(initializer) || !Object.hasOwn(binding, initializer.name)) continue;
    const { tensor } = binding[initializer.name]!;
    const lost = secondNames(trace, initializer.name)
      .map(inCheckpoint)
      .find((name) => !present.has(name) && !isConstant(name) && !isLeftOut(name));
    if (lost === undefined) continue;
    throw new FirnError(
      'graph-missing-weights',
      `The checkpoint lacks ${quoteName(lost)}, in whose place the graph uses ${quoteName(tensor)}: the ` +
        'exporter put one weight in place of several that were equal when it ran, as they are before training. ' +
        `Push the checkpoint with all its tensors, and export the graph with ${plainExport}, or with ` +
        `${unfoldedExport}; ` +
        `if the two are one weight of the model, add ${JSON.stringify({ unused: [lost] }).slice(1, -1)} to ` +
        `the eval set's spec.`,
    );
  }
}

/**
 * Constant vectors in the graph that several operators use, without a name that shows whether the model shares them or
 * an exporter merged them. In file order.
 */
export function doubtfulVectors(
  { graph, trace }: HeaderPairs,
  binding: WeightBinding,
  plain: NonNullable<KnownBytes['plain']>,
): string[] {
  return graph.initializers
    .filter((each) => isVector(each) && each.elementCount > 1 && Object.hasOwn(binding, each.name))
    .filter(({ name }) => ['zeros', 'uniform'].includes(plain.get(name) ?? '') && isShared(trace, name))
    .map(({ name }) => name);
}

/** Whether the content of an initializer decides whether it is one of {@link doubtfulVectors}. */
export function mayBeDoubtful(initializer: GraphInitializer, trace: WeightTrace): boolean {
  return isVector(initializer) && isShared(trace, initializer.name);
}

/**
 * Names of weights that Identities give a stored tensor; names with a number or scope added by an exporter do not
 * count.
 */
function secondNames(trace: WeightTrace, name: string): string[] {
  const names = new Set([name]);
  for (const each of names) {
    for (const { node } of trace.consumersOf(each))
      if (node.opType === 'Identity') for (const output of node.output) names.add(output);
  }
  names.delete(name);
  return [...names].filter((each) => /^[^/:]*\.[^/:]*$/.test(each) && !trace.isModelOutput(each));
}
