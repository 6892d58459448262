import { bindingOf, pairWeights, settleBinding, tensorsToDigest, type BoundWeights } from './bind-weights.ts';
import type { KnownBytes } from './binding/bind-request.ts';
import type { BindingReport } from './binding/describe/binding-report.ts';
import type { Pair } from './binding/pair/pair.ts';
import type { HeaderPairs } from './binding/pair/pair-by-headers.ts';
import { inspectConstants } from './binding/refuse/inspect-constants.ts';
import { digestInitializers } from './digest-initializers.ts';
import type { GraphSource } from './onnx/graph-source.ts';
import type { WeightBinding } from './weight-binding.ts';

/** Access to the bytes that the headers describe. */
export interface BindingBytes {
  /** The file that the headers' graph describes. */
  readonly source: GraphSource;
  /** Lowercase hex sha256 of the bytes of these tensors, by name. */
  readonly digestTensors: (names: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>;
}

/**
 * Binds a graph to a checkpoint with readable bytes. They are read piece by piece, and only if headers do not decide.
 * Rejects with the errors of `bindWeights` and of both readers.
 */
export async function bindGraphFile(
  headers: HeaderPairs,
  bytes: BindingBytes,
  signal?: AbortSignal,
): Promise<BoundWeights> {
  const binding = bindingOf(await pairGraphFile(headers, bytes, signal));
  return settleBinding(headers, binding, await inspectConstants(bytes.source, headers, binding, signal));
}

/**
 * The certain pairs, with the bytes of both sides; other initializers may remain unpaired. Rejects with the errors of
 * both readers.
 */
export async function pairGraphFile(
  headers: HeaderPairs,
  bytes: BindingBytes,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Pair>> {
  return pairWeights(headers, await readContents(headers, bytes, signal));
}

/**
 * Checks that a binding of an earlier checkpoint leaves none of this checkpoint's weights to the graph's own numbers,
 * and reports how it was found. Of the graph, only constants that may be masks are read. Rejects with the errors of
 * `bindWeights` and of the source.
 */
export async function checkBinding(
  headers: HeaderPairs,
  source: GraphSource,
  binding: WeightBinding,
  signal?: AbortSignal,
): Promise<BindingReport> {
  return settleBinding(headers, binding, await inspectConstants(source, headers, binding, signal)).report;
}

async function readContents(
  headers: HeaderPairs,
  { source, digestTensors }: BindingBytes,
  signal?: AbortSignal,
): Promise<KnownBytes> {
  const digests = await digestTensors(new Set(tensorsToDigest(headers)));
  return { digests, contents: await digestInitializers(source, headers, digests, signal) };
}
