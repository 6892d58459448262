import type { CheckpointTensor } from '../../weight-binding.ts';
import { prefixOf, type SizedTensor } from './tensor-groups.ts';

/** Neighbours of one prefix that are tried; a layer has fewer. */
const neighboursMax = 24;
/** Prefixes that are tried: more than any model has layers. */
const prefixesMax = 1000;

/**
 * Two or three unused tensors behind one prefix that have as many elements together: projections that an exporter
 * joined. Empty where there are none.
 */
export function joinedTensors(
  elementCount: number,
  groups: ReadonlyMap<number, readonly SizedTensor[]>,
): CheckpointTensor[] {
  const smaller = [...groups].filter(([count]) => count > 1 && count < elementCount).flatMap(([, tensors]) => tensors);
  for (const segments of [1, 2]) {
    const layers = new Map<string, SizedTensor[]>();
    for (const tensor of smaller) {
      const prefix = prefixOf(tensor.name, segments);
      if (prefix === undefined || (!layers.has(prefix) && layers.size === prefixesMax)) continue;
      const layer = layers.get(prefix) ?? [];
      if (layer.length < neighboursMax) layer.push(tensor);
      layers.set(prefix, layer);
    }
    for (const layer of layers.values()) {
      const found = sumOf(layer, elementCount);
      if (found !== undefined) return found;
    }
  }
  return [];
}

/**
 * Those of a layer that are as many elements together; of several, those whose names end the most alike (`..._l0` with
 * `..._l0`).
 */
function sumOf(layer: readonly SizedTensor[], elementCount: number): CheckpointTensor[] | undefined {
  let best: { readonly tensors: CheckpointTensor[]; readonly likeness: number } | undefined;
  for (const [i, a] of layer.entries()) {
    for (const [j, b] of layer.entries()) {
      if (j <= i || !joins(a, b)) continue;
      const rest = elementCount - a.elementCount - b.elementCount;
      const c =
        rest === 0 ? undefined : layer.slice(j + 1).find((each) => each.elementCount === rest && joins(a, each));
      if (rest !== 0 && c === undefined) continue;
      const likeness = commonEnd(a.name, b.name);
      if (likeness > (best?.likeness ?? -1)) best = { tensors: c === undefined ? [a, b] : [a, b, c], likeness };
    }
  }
  return best?.tensors;
}

/** What is joined along one axis has the others alike. */
function joins(a: CheckpointTensor, b: CheckpointTensor): boolean {
  return a.shape.length === b.shape.length && a.shape.filter((dim, axis) => dim !== b.shape[axis]).length <= 1;
}

/** Characters that two names have in common at their end. */
function commonEnd(a: string, b: string): number {
  const max = Math.min(a.length, b.length);
  let length = 0;
  while (length < max && a[a.length - 1 - length] === b[b.length - 1 - length]) length += 1;
  return length;
}
