import { effectiveRank } from '../../layers/layer-type-of.ts';
import type { CheckpointTensor } from '../../weight-binding.ts';

/**
 * Finds the batch normalizations (by their `running_var`) that are missing in a graph which has the layers before them:
 * an exporter multiplied them into those layers' weights, often under the weights' own names. If the graph lacks a
 * whole part of the model, that part's matrices are unused too. So as many normalizations are allowed as there are
 * unused matrices with the same number of channels. Cost: a pass over the unused tensors.
 */
export function foldedNorms(unused: readonly CheckpointTensor[]): string[] {
  const names = new Set(unused.map((tensor) => tensor.name));
  const lost = unused.filter(
    ({ name, shape }) =>
      shape.length === 1 && /(^|\.)running_var$/.test(name) && names.has(name.replace(/running_var$/, 'running_mean')),
  );
  if (lost.length === 0) return [];
  const matrices = new Map<number, number>();
  for (const { shape } of unused) {
    if (effectiveRank(shape) < 2) continue;
    for (const size of new Set(shape.slice(0, 2))) matrices.set(size, (matrices.get(size) ?? 0) + 1);
  }
  const byChannels = new Map<number, string[]>();
  for (const { name, shape } of lost) {
    const group = byChannels.get(shape[0]!);
    if (group === undefined) byChannels.set(shape[0]!, [name]);
    else group.push(name);
  }
  return [...byChannels].flatMap(([channels, group]) => (group.length > (matrices.get(channels) ?? 0) ? group : []));
}
