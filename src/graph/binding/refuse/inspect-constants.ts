import type { GraphInitializer } from '../../describe-graph.ts';
import type { GraphSource } from '../../onnx/graph-source.ts';
import { shapeKey } from '../../match-by-content.ts';
import { isFloatDtype } from '../../onnx/onnx-dtype.ts';
import type { WeightBinding } from '../../weight-binding.ts';
import type { HeaderPairs } from '../pair/pair-by-headers.ts';
import { mayBeDoubtful } from './merged-names.ts';
import { isShared } from './merged-weights.ts';
import { plainContentOf, type PlainContent } from './plain-content.ts';
import { isFirstState } from './weightless-inputs.ts';

/**
 * Most constants that are read: more than any graph has besides its weights. Others remain unknown, and are refused if
 * that matters.
 */
const inspectedMax = 10_000;

/**
 * Reads the stored initializers whose content decides whether a graph is refused: unfilled ones that may be masks or
 * initial states, and those that may stand for several weights. Of a weight, at most five numbers are read. `source` is
 * the file that `headers.graph` describes. Errors: `graph-invalid`, the source's.
 */
export async function inspectConstants(
  source: GraphSource,
  headers: HeaderPairs,
  binding: WeightBinding,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, PlainContent>> {
  const contents = new Map<string, PlainContent>();
  for (const initializer of constantsToInspect(headers, binding).slice(0, inspectedMax)) {
    const content = await plainContentOf(source, initializer, signal);
    if (content !== undefined) contents.set(initializer.name, content);
  }
  return contents;
}

/** The constants that {@link inspectConstants} reads. */
export function constantsToInspect({ graph, tensors, trace }: HeaderPairs, binding: WeightBinding): GraphInitializer[] {
  const used = new Set(Object.values(binding).map((source) => source.tensor));
  const unusedShapes = new Set(tensors.filter((tensor) => !used.has(tensor.name)).map(shapeKey));
  return graph.initializers.filter((each) => {
    if (!isFloatDtype(each.dtype) || each.stored === undefined || each.elementCount <= 1) return false;
    if (Object.hasOwn(binding, each.name))
      return (unusedShapes.has(shapeKey(each)) && isShared(trace, each.name)) || mayBeDoubtful(each, trace);
    return mayBeMask(each) || isFirstState(trace, each.name);
  });
}

/** A mask has a row and a column for each position. */
export function mayBeMask({ shape }: Pick<GraphInitializer, 'shape'>): boolean {
  return shape.length >= 2 && shape.at(-1) === shape.at(-2);
}
