import { bindingOf, bindWeights, pairWeights, tensorsToDigest, type BindRequest, type BoundWeights } from './bind-weights.ts';
import { inspectConstants } from './binding/refuse/inspect-constants.ts';
import { reportBinding, type BindingReport } from './binding/describe/binding-report.ts';
import { refuseUnfilled } from './binding/refuse/refuse-unfilled.ts';
import type { WeightBinding } from './weight-binding.ts';
import type { Pair } from './binding/pair/pair.ts';
import { digestInitializers } from './digest-initializers.ts';
import type { GraphSource } from './graph-source.ts';

export interface BindFileRequest extends Omit<BindRequest, 'digests' | 'contents' | 'plain'> {
  /** The file that `graph` describes. */
  readonly source: GraphSource;
  /** Lowercase hex sha256 of the bytes of these tensors, by name. */
  readonly digestTensors: (names: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>;
}

/**
 * Binds a graph to a checkpoint whose bytes can be read. They are, piece by piece, only where headers do not decide. Rejects as `bindWeights` does, and with
 * the errors of both readers.
 */
export async function bindGraphFile(request: BindFileRequest, signal?: AbortSignal): Promise<BoundWeights> {
  const known = await withContents(request, signal);
  const plain = await inspectConstants(request.source, known, bindingOf(pairWeights(known)), signal);
  return bindWeights({ ...known, plain });
}

/** The pairs that are certain with the bytes of both sides, whatever they leave open. Rejects as {@link bindGraphFile}, but not for what is left open. */
export async function pairGraphFile(request: BindFileRequest, signal?: AbortSignal): Promise<ReadonlyMap<string, Pair>> {
  return pairWeights(await withContents(request, signal));
}

/**
 * Checks that a binding of an earlier checkpoint leaves nothing of this one to the graph's own numbers, and tells how it came about. Of the graph only
 * constants are read that may be masks. Rejects as `bindWeights` does, and with the source's errors.
 */
export async function checkBinding(request: Omit<BindFileRequest, 'digestTensors'>, binding: WeightBinding, signal?: AbortSignal): Promise<BindingReport> {
  const { source, ...known } = request;
  const plain = await inspectConstants(source, known, binding, signal);
  refuseUnfilled({ ...known, plain }, binding);
  return reportBinding(known, binding);
}

async function withContents({ source, digestTensors, ...request }: BindFileRequest, signal?: AbortSignal): Promise<BindRequest> {
  const digests = await digestTensors(new Set(tensorsToDigest(request)));
  return { ...request, digests, contents: await digestInitializers(source, { ...request, digests }, signal) };
}
