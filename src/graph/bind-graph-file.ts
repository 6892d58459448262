import { bindingOf, pairWeights, settleBinding, tensorsToDigest, type BoundWeights } from './bind-weights.ts';
import type { KnownBytes } from './binding/bind-request.ts';
import type { BindingReport } from './binding/describe/binding-report.ts';
import type { Pair } from './binding/pair/pair.ts';
import type { HeaderPairs } from './binding/pair/pair-by-headers.ts';
import { inspectConstants } from './binding/refuse/inspect-constants.ts';
import { digestInitializers } from './digest-initializers.ts';
import type { GraphSource } from './onnx/graph-source.ts';
import type { WeightBinding } from './weight-binding.ts';

/** Where the bytes are that headers speak of. */
export interface BindingBytes {
  /** The file that the headers' graph describes. */
  readonly source: GraphSource;
  /** Lowercase hex sha256 of the bytes of these tensors, by name. */
  readonly digestTensors: (names: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>;
}

/**
 * Binds a graph to a checkpoint whose bytes can be read. They are, piece by piece, only where headers do not decide.
 * Rejects as `bindWeights` does, and with the errors of both readers.
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
 * The pairs that are certain with the bytes of both sides, whatever they leave open. Rejects with the errors of both
 * readers.
 */
export async function pairGraphFile(
  headers: HeaderPairs,
  bytes: BindingBytes,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Pair>> {
  return pairWeights(headers, await readContents(headers, bytes, signal));
}

/**
 * Checks that a binding of an earlier checkpoint leaves nothing of this one to the graph's own numbers, and tells how
 * it came about. Of the graph only constants are read that may be masks. Rejects as `bindWeights` does, and with the
 * source's errors.
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
