import { FirnError } from '../../../checkpoint/firn-error.ts';
import { quoteName } from '../../../checkpoint/words/quote-name.ts';
import { layoutKey } from '../../match-by-content.ts';
import { isFloatDtype } from '../../onnx/onnx-dtype.ts';
import type { CheckpointTensor, WeightBinding } from '../../weight-binding.ts';
import { plainExport, unfoldedExport } from '../describe/export-advice.ts';
import type { HeaderPairs } from '../pair/pair-by-headers.ts';

/** A tensor that the graph uses in several places, and the tensors that it replaces there. */
export interface MergedLayer {
  readonly used: string;
  readonly places: number;
  /** Tensors whose numbers differ from those of any tensor in use. In checkpoint order. */
  readonly hidden: readonly string[];
}

/**
 * Finds layers that an exporter merged because they were copies of each other at the time, as `copy.deepcopy` makes
 * them before training: `layers.0` would be measured instead of `layers.1`. The sign is a tensor used in several
 * places, and an unused one of the same shape whose name differs only in numbers and whose bytes no tensor in use has
 * (`unmeasured`). All of them together must be used in as many places as there are of them, which is not so in a graph
 * with fewer layers. A weight that layers share has no such neighbour, or one with its own bytes. Another sign is an
 * Identity that gives a tensor's weight the name of an unused one, as the older exporter writes it. Cost: a pass over
 * the tensors, and one over the uses of those with an unused neighbour.
 */
export function mergedLayers(
  { graph, tensors, trace, prefix }: HeaderPairs,
  binding: WeightBinding,
  unmeasured: ReadonlySet<string>,
): MergedLayer[] {
  const groups = new Map<string, Group>();
  for (const tensor of tensors)
    if (unmeasured.has(tensor.name) && isFloatDtype(tensor.dtype)) groupOf(tensor, groups).hidden.push(tensor.name);
  if (groups.size === 0) return [];
  const groupByTensor = new Map<string, Group>();
  for (const tensor of tensors) {
    const group = groups.get(neighbourKey(tensor));
    if (group === undefined || !isFloatDtype(tensor.dtype)) continue;
    group.size += 1;
    groupByTensor.set(tensor.name, group);
  }
  const shapes = new Set(tensors.filter((tensor) => groupByTensor.has(tensor.name)).map(shapeKey));
  const hiddenNames = new Set([...groups.values()].flatMap((group) => group.hidden));
  const places = new Map<string, number>();
  const merged: MergedLayer[] = [];
  for (const initializer of graph.initializers) {
    const { name } = initializer;
    const tensor = Object.hasOwn(binding, name) ? binding[name]!.tensor : undefined;
    if (tensor === undefined || !(groupByTensor.has(tensor) || shapes.has(shapeKey(initializer)))) continue;
    const { count, names } = trace.placesOf(name);
    places.set(tensor, (places.get(tensor) ?? 0) + count);
    const hidden = names.map((each) => behindPrefix(each, prefix)).filter((each) => hiddenNames.has(each));
    if (hidden.length > 0) merged.push({ used: tensor, places: count, hidden });
  }
  for (const [tensor, count] of places) {
    const group = groupByTensor.get(tensor);
    if (group === undefined) continue;
    group.places += count;
    if (count > 1) group.shared ??= tensor;
  }
  for (const { shared, hidden, places: all, size } of groups.values())
    if (shared !== undefined && all >= size) merged.push({ used: shared, places: places.get(shared)!, hidden });
  return merged;
}

function behindPrefix(name: string, prefix: HeaderPairs['prefix']): string {
  return prefix !== undefined && name.startsWith(prefix.graph)
    ? prefix.checkpoint + name.slice(prefix.graph.length)
    : name;
}

/** Refuses merged layers. Errors: `graph-missing-weights`. */
export function refuseMergedLayers(merged: readonly MergedLayer[], binding: WeightBinding): void {
  const [first] = merged;
  if (first === undefined) return;
  const used = new Set(Object.values(binding).map((source) => source.tensor));
  const hidden = first.hidden[0]!;
  const patterns = [
    ...new Set(merged.flatMap(({ used: from, hidden: names }) => names.map((name) => layerPattern(from, name, used)))),
  ].slice(0, patternsShown);
  throw new FirnError(
    'graph-missing-weights',
    `The graph uses ${quoteName(first.used)} in ${first.places} places and ${quoteName(hidden)}, which has ` +
      'the same shape and other numbers, nowhere: the exporter put one weight in place of several that were ' +
      'equal when it ran, as copies of a layer are before training. ' +
      `Export the graph with ${plainExport}, with ${unfoldedExport}, or from trained weights; if the graph ` +
      `leaves ${quoteName(hidden)} out on purpose, add ${JSON.stringify({ unused: patterns }).slice(1, -1)} ` +
      `to the eval set's spec.`,
  );
}

/** Most patterns in a sentence. */
const patternsShown = 8;

interface Group {
  /** A tensor in use in several places. */
  shared?: string;
  readonly hidden: string[];
  /** Number of tensors in the group. */
  size: number;
  places: number;
}

function groupOf(tensor: CheckpointTensor, groups: Map<string, Group>): Group {
  const key = neighbourKey(tensor);
  const group = groups.get(key) ?? { hidden: [], size: 0, places: 0 };
  groups.set(key, group);
  return group;
}

/** Equal for tensors of one shape with names that differ only in numbers. */
function neighbourKey({ name, shape }: CheckpointTensor): string {
  return `${shapeKey({ shape })} ${name.replace(/\d+/g, '#')}`;
}

function shapeKey({ shape }: Pick<CheckpointTensor, 'shape'>): string {
  return layoutKey({ dtype: undefined, shape });
}

/** A pattern for the whole layer if none of it is in use, else the name. */
function layerPattern(from: string, name: string, used: ReadonlySet<string>): string {
  const [a, b] = [from.split('.'), name.split('.')];
  const at = b.findIndex((part, index) => part !== a[index]);
  if (at < 0 || at === b.length - 1 || a.length !== b.length) return name;
  const layer = `${b.slice(0, at + 1).join('.')}.`;
  return [...used].some((each) => each.startsWith(layer)) ? name : `${layer}*`;
}
