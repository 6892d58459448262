import type { GraphInitializer } from '../../describe-graph.ts';
import type { CheckpointTensor } from '../../weight-binding.ts';
import { fitOf } from './fit.ts';

/** The prefix of names in the graph, and the prefix in the checkpoint that replaces it. */
export interface PrefixPair {
  readonly graph: string;
  readonly checkpoint: string;
}

/** Wrappers of many models; they are always tried. */
const knownWrappers = ['module.', '_orig_mod.', 'model.', 'm.', 'module._orig_mod.'];

/**
 * Most initializers whose names are compared with every tensor's: the only step with a cost of the product of both
 * counts.
 */
const probesMax = 8;
/** Most prefixes taken from each probe: those with the longest common end. */
const prefixesPerProbeMax = 8;

/**
 * The pairs of prefixes to count: those of known wrappers, and those that give some initializers a tensor of their
 * shape.
 */
export function candidatePrefixes(
  named: readonly GraphInitializer[],
  unused: readonly CheckpointTensor[],
): PrefixPair[] {
  const found = new Map<string, PrefixPair>();
  const add = (prefix: PrefixPair) => void found.set(JSON.stringify([prefix.graph, prefix.checkpoint]), prefix);
  for (const wrapper of knownWrappers) {
    add({ graph: wrapper, checkpoint: '' });
    add({ graph: '', checkpoint: wrapper });
  }
  const step = Math.max(1, Math.floor(named.length / probesMax));
  for (let at = 0, probes = 0; at < named.length && probes < probesMax; at += step, probes += 1)
    prefixesOf(named[at]!, unused).forEach(add);
  return [...found.values()];
}

/** The prefixes that would give this initializer one of the tensors, those with the longest common end. */
function prefixesOf(initializer: GraphInitializer, unused: readonly CheckpointTensor[]): PrefixPair[] {
  const { name } = initializer;
  const ends: { readonly prefix: PrefixPair; readonly length: number }[] = [];
  for (const tensor of unused) {
    const length = commonEnd(name, tensor.name);
    if (
      length === 0 ||
      (ends.length === prefixesPerProbeMax && length <= ends.at(-1)!.length) ||
      fitOf(initializer, tensor) === undefined
    )
      continue;
    ends.push({
      prefix: {
        graph: name.slice(0, name.length - length),
        checkpoint: tensor.name.slice(0, tensor.name.length - length),
      },
      length,
    });
    ends.sort((a, b) => b.length - a.length);
    if (ends.length > prefixesPerProbeMax) ends.pop();
  }
  return ends.map((end) => end.prefix);
}

/** Characters of the longest common end that starts a segment in both names. */
function commonEnd(a: string, b: string): number {
  let length = 0;
  let whole = 0;
  while (length < a.length && length < b.length && a[a.length - 1 - length] === b[b.length - 1 - length]) {
    length += 1;
    if (startsSegment(a, a.length - length) && startsSegment(b, b.length - length)) whole = length;
  }
  return whole;
}

function startsSegment(name: string, at: number): boolean {
  return at === 0 || name[at - 1] === '.' || name[at - 1] === '/';
}
