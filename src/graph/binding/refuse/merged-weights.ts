import type { GraphInitializer } from '../../describe-graph.ts';
import { shapeKey } from '../../match-by-content.ts';
import type { CheckpointTensor, WeightBinding } from '../../weight-binding.ts';
import type { KnownBytes } from '../bind-request.ts';
import type { HeaderPairs } from '../pair/pair-by-headers.ts';
import type { WeightTrace } from '../weight-trace.ts';

/** An initializer that replaces several weights, and a tensor that it hides. */
export interface MergedWeight {
  readonly initializer: string;
  readonly tensor: string;
}

/**
 * Finds initializers with which an exporter replaced several weights that were equal at the time, as norms and biases
 * are before training: each checkpoint would be measured with one of them in all places. The sign is an initializer
 * that several operators use, and an unused tensor of its shape. A shared layer looks the same, so the initializer's
 * stored numbers must also be all equal (`plain`). If the file does not contain them, it must be the only one of its
 * shape and last name, and the tensor must have that last name.
 */
export function mergedWeights(
  { graph, trace }: HeaderPairs,
  binding: WeightBinding,
  { unused, plain }: MergeContext,
): MergedWeight[] {
  const byShape = firstByKey(unused, shapeKey);
  const byLastName = firstByKey(unused, lastNameKey);
  const bound = graph.initializers.filter(
    (each) => Object.hasOwn(binding, each.name) && each.elementCount > 1 && byShape.has(shapeKey(each)),
  );
  const counts = new Map<string, number>();
  for (const each of bound) counts.set(lastNameKey(each), (counts.get(lastNameKey(each)) ?? 0) + 1);
  return bound.flatMap((initializer) => {
    const content = plain.get(initializer.name);
    const isOneNumber = content === 'zeros' || content === 'uniform';
    const namesake = byLastName.get(lastNameKey(initializer));
    const hidden = namesake ?? (isOneNumber ? byShape.get(shapeKey(initializer)) : undefined);
    const isMerged = initializer.external ? counts.get(lastNameKey(initializer)) === 1 : isOneNumber;
    if (hidden === undefined || !isMerged) return [];
    return isShared(trace, initializer.name) ? [{ initializer: initializer.name, tensor: hidden.name }] : [];
  });
}

export interface MergeContext {
  /** Floating tensors that fill nothing. */
  readonly unused: readonly CheckpointTensor[];
  readonly plain: NonNullable<KnownBytes['plain']>;
}

/**
 * Whether several operators use an initializer; a recurrent layer that is cut into parts and joined again counts as
 * one.
 */
export function isShared(trace: WeightTrace, name: string): boolean {
  const uses = trace.usesOf(name) ?? [];
  return new Set(uses.map((use) => use.node)).size > 1;
}

type Named = Pick<GraphInitializer, 'name' | 'shape'>;

function firstByKey(
  tensors: readonly CheckpointTensor[],
  keyOf: (tensor: Named) => string,
): ReadonlyMap<string, CheckpointTensor> {
  return new Map(tensors.toReversed().map((tensor) => [keyOf(tensor), tensor]));
}

function lastNameKey(each: Named): string {
  return `${shapeKey(each)} ${each.name.slice(each.name.lastIndexOf('.') + 1)}`;
}
