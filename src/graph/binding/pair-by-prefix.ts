import { FirnError } from '../../checkpoint/firn-error.ts';
import { quoteName } from '../../checkpoint/quote-name.ts';
import type { GraphInitializer } from '../describe-graph.ts';
import type { CheckpointTensor } from '../weight-binding.ts';
import { commonEnd } from './common-end.ts';
import { fitOf, misfit } from './fit.ts';
import type { Pair } from './pair.ts';

/** What stands before the names of the graph, and before those of the checkpoint in its place. */
export interface PrefixPair {
  readonly graph: string;
  readonly checkpoint: string;
}

export interface PrefixMatch {
  readonly prefix: PrefixPair;
  readonly pairs: ReadonlyMap<string, Pair>;
}

/** Wrappers that many models have; they are tried whatever the probes say. */
const knownWrappers = ['module.', '_orig_mod.', 'model.', 'm.', 'module._orig_mod.'];

/** Initializers whose names are compared with every tensor's: the only step that costs a product of both counts. */
const probesMax = 8;
/** Prefixes kept of each probe, those that leave the longest common end. */
const prefixesPerProbeMax = 8;

/** Names that exporters make up, which say nothing of the model. */
const exporterMade = /^(onnx::|\/|val_\d+$|_val_\d+$|Constant)/;

/**
 * Finds the one pair of prefixes that makes most of the names match (more than half of those that an exporter did not make up) and pairs by it. Only
 * tensors that nothing else uses are looked at. Undefined where no pair does. Cost: `probesMax` comparisons of names for each tensor, and a
 * look-up for each initializer and prefix kept. Errors: `graph-missing-weights` (two pairs do equally well), `eval-input-mismatch` (a shape or type does not fit).
 */
export function pairByPrefix(rest: readonly GraphInitializer[], unused: readonly CheckpointTensor[]): PrefixMatch | undefined {
  const named = rest.filter((each) => (each.elementCount > 1 || each.external) && !exporterMade.test(each.name));
  if (named.length === 0 || unused.length === 0) return undefined;
  const byName = new Map(unused.map((tensor) => [tensor.name, tensor]));
  const candidates = candidatePrefixes(named, unused).map((prefix) => ({ prefix, count: countMatches(prefix, named, byName) }));
  const best = Math.max(...candidates.map((candidate) => candidate.count));
  if (best * 2 <= named.length) return undefined;
  const winners = candidates.filter((candidate) => candidate.count === best).map((candidate) => candidate.prefix);
  const [first, ...others] = winners;
  const rival = others.find((other) => differ(first!, other, named, byName));
  if (rival !== undefined) {
    throw new FirnError(
      'graph-missing-weights',
      `The names of the graph match the checkpoint's in two ways equally well: ${describePrefix(first!)}, and ${describePrefix(rival)}; say which in "tensorMap".`,
    );
  }
  return { prefix: first!, pairs: pairsBehind(first!, rest, byName) };
}

/** A prefix pair in words. */
export function describePrefix({ graph, checkpoint }: PrefixPair): string {
  if (checkpoint === '') return `without the graph's prefix ${quoteName(graph)}`;
  if (graph === '') return `behind the checkpoint's prefix ${quoteName(checkpoint)}`;
  return `with the checkpoint's prefix ${quoteName(checkpoint)} in place of the graph's ${quoteName(graph)}`;
}

function candidatePrefixes(named: readonly GraphInitializer[], unused: readonly CheckpointTensor[]): PrefixPair[] {
  const found = new Map<string, PrefixPair>();
  const add = (prefix: PrefixPair) => void found.set(JSON.stringify([prefix.graph, prefix.checkpoint]), prefix);
  for (const wrapper of knownWrappers) {
    add({ graph: wrapper, checkpoint: '' });
    add({ graph: '', checkpoint: wrapper });
  }
  const step = Math.max(1, Math.floor(named.length / probesMax));
  for (let at = 0, probes = 0; at < named.length && probes < probesMax; at += step, probes += 1) prefixesOf(named[at]!, unused).forEach(add);
  return [...found.values()];
}

/** The prefixes that would give this initializer one of the tensors, those with the longest common end. */
function prefixesOf(initializer: GraphInitializer, unused: readonly CheckpointTensor[]): PrefixPair[] {
  const { name } = initializer;
  const ends: { readonly prefix: PrefixPair; readonly length: number }[] = [];
  for (const tensor of unused) {
    const length = commonSegments(name, tensor.name);
    if (length === 0 || (ends.length === prefixesPerProbeMax && length <= ends.at(-1)!.length) || fitOf(initializer, tensor) === undefined) continue;
    ends.push({ prefix: { graph: name.slice(0, name.length - length), checkpoint: tensor.name.slice(0, tensor.name.length - length) }, length });
    ends.sort((a, b) => b.length - a.length);
    if (ends.length > prefixesPerProbeMax) ends.pop();
  }
  return ends.map((end) => end.prefix);
}

/** Characters of the longest common end that starts a segment in both names. */
function commonSegments(a: string, b: string): number {
  let length = commonEnd(a, b);
  while (length > 0 && !(startsSegment(a, a.length - length) && startsSegment(b, b.length - length))) length -= 1;
  return length;
}

function startsSegment(name: string, at: number): boolean {
  return at === 0 || name[at - 1] === '.' || name[at - 1] === '/';
}

type TensorsByName = ReadonlyMap<string, CheckpointTensor>;

function tensorBehind({ graph, checkpoint }: PrefixPair, name: string, byName: TensorsByName): CheckpointTensor | undefined {
  return name.startsWith(graph) ? byName.get(checkpoint + name.slice(graph.length)) : undefined;
}

function countMatches(prefix: PrefixPair, named: readonly GraphInitializer[], byName: TensorsByName): number {
  return named.reduce((count, { name }) => count + Number(tensorBehind(prefix, name, byName) !== undefined), 0);
}

/** Whether two prefixes give some initializer different tensors; `m.` for nothing and `m.encoder.` for `encoder.` do not. */
function differ(a: PrefixPair, b: PrefixPair, named: readonly GraphInitializer[], byName: TensorsByName): boolean {
  return named.some(({ name }) => tensorBehind(a, name, byName) !== tensorBehind(b, name, byName));
}

function pairsBehind(prefix: PrefixPair, rest: readonly GraphInitializer[], byName: TensorsByName): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const initializer of rest) {
    const tensor = tensorBehind(prefix, initializer.name, byName);
    if (tensor === undefined) continue;
    const fit = fitOf(initializer, tensor);
    if (fit === undefined && initializer.elementCount <= 1) continue;
    if (fit === undefined) throw misfit(initializer, tensor, false);
    pairs.set(initializer.name, { tensor: tensor.name, transpose: fit === 'transposed', by: 'prefix' });
  }
  return pairs;
}
