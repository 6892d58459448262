import { countElements } from '../../../checkpoint/count-elements.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { quoteName } from '../../../checkpoint/words/quote-name.ts';
import { quoteNames } from '../../quote-names.ts';
import type { WeightBinding } from '../../weight-binding.ts';
import type { KnownBytes } from '../bind-request.ts';
import { explainUnfilled } from '../describe/explain-unfilled.ts';
import { plainExport, unfoldedExport } from '../describe/export-advice.ts';
import { foldedNorms } from './folded-norms.ts';
import { refuseMergedNames } from './merged-names.ts';
import { refuseMergedStatistics } from './merged-statistics.ts';
import { mergedWeights, type MergedWeight } from './merged-weights.ts';
import { unfilledWeights, type Unfilled } from './unfilled-weights.ts';
import type { HeaderPairs } from '../pair/pair-by-headers.ts';

/**
 * Refuses a graph if some of its own numbers would be measured instead of the checkpoint's. Reads only headers, and
 * `plain` for constants, so it is cheap enough for every checkpoint. `undecided` names initializers that unread bytes
 * may fill or show to be no weights; if there are any, only other open initializers are refused. Errors:
 * `graph-missing-weights`.
 */
export function refuseUnfilled(
  headers: HeaderPairs,
  binding: WeightBinding,
  { plain = new Map(), undecided = new Set() }: UnfilledContext = {},
): void {
  const all = unfilledWeights(headers, binding, plain);
  const unfilled = { ...all, initializers: all.initializers.filter((each) => !undecided.has(each.name)) };
  refuseMergedStatistics(headers.graph, headers.isConstant);
  refuseQuantized(unfilled);
  if (undecided.size > 0) {
    refuseInitializers(unfilled);
    refuseHidden(unfilled);
    return;
  }
  refuseGone(unfilled);
  refuseInitializers(unfilled);
  refuseHidden(unfilled);
  refuseMergedNames(headers, binding);
  refuseMerged(mergedWeights(headers, binding, { unused: unfilled.unused, plain }));
  refuseFoldedNorms(unfilled);
  refuseScalars(unfilled);
  if (headers.tensors.length > 0 && Object.keys(binding).length === 0)
    throw missing(
      'No initializer of the graph matches a tensor of the checkpoint by map, name or content, so its ' +
        'metrics would not depend on the weights.',
    );
}

export interface UnfilledContext extends Pick<KnownBytes, 'plain'> {
  readonly undecided?: ReadonlySet<string>;
}

function refuseGone({ gone }: Unfilled): void {
  if (gone.length > 0)
    throw missing(
      `The checkpoint has no longer what filled ${quoteNames(gone)} of the graph at the run's earlier ` +
        'checkpoints, in that shape and type.',
    );
}

function refuseFoldedNorms({ unused }: Unfilled): void {
  const [lost, ...others] = foldedNorms(unused);
  if (lost === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  throw missing(
    `The graph does not use the batch normalization of ${quoteName(lost)}${more}: the exporter folded it ` +
      'into the layer before it, whose weights are no longer those of the checkpoint. Export the graph with ' +
      `${plainExport}, or with ${unfoldedExport}.`,
  );
}

function refuseInitializers({ initializers, unused }: Unfilled): void {
  if (initializers.length === 0) return;
  const names = quoteNames(initializers.map((each) => each.name));
  const what = initializers.every((each) => each.external)
    ? `The graph leaves weights to be filled that match no tensor of the checkpoint: ${names}.`
    : `No tensor of the checkpoint fills ${names} of the graph, so the numbers stored in the graph would be ` +
      'measured instead.';
  throw missing(`${what} ${explainUnfilled(initializers, unused)}`);
}

function refuseQuantized({ quantized, unused }: Unfilled): void {
  const [first] = quantized;
  if (first === undefined) return;
  const tensor = unused.find(({ shape }) => countElements(shape) === first.elementCount)!;
  throw missing(
    `The graph stores ${quoteNames(quantized.map((each) => each.name))} in eight bits or fewer, as many ` +
      `numbers as the unused tensor ${quoteName(tensor.name)} has: it was quantized, and its own weights would ` +
      'be measured. Export it in float32, without quantizing it; or, if that is no weight, add ' +
      `${JSON.stringify({ constants: [first.name] }).slice(1, -1)} to the eval set's spec.`,
  );
}

function refuseHidden({ hidden }: Unfilled): void {
  const [first] = hidden;
  if (first === undefined) return;
  const names = quoteNames(hidden.map((each) => each.name));
  throw missing(
    `The graph stores numbers where no tensor of the checkpoint can fill them: ${names} (${first.place}). If ` +
      `they are weights, export the graph with ${plainExport}; if not, add ` +
      `${JSON.stringify({ constants: [first.name] }).slice(1, -1)} to the eval set's spec.`,
  );
}

function refuseMerged([merged]: readonly MergedWeight[]): void {
  if (merged === undefined) return;
  throw missing(
    `The graph uses ${quoteName(merged.initializer)} in several places and ${quoteName(merged.tensor)} of ` +
      'the same shape nowhere: the exporter put one weight in place of several that were equal when it ran, as ' +
      `they are before training. Export the graph with ${plainExport}, with ${unfoldedExport}, or from trained ` +
      `weights; if the graph leaves ${quoteName(merged.tensor)} out on purpose, add ` +
      `${JSON.stringify({ unused: [merged.tensor] }).slice(1, -1)} to the eval set's spec.`,
  );
}

function refuseScalars({ scalars, unused }: Unfilled): void {
  if (scalars.length === 0) return;
  const tensor = unused.find(({ shape }) => shape.every((size) => size === 1))!;
  const entries = JSON.stringify({ constants: scalars.slice(0, scalarsShown) }).slice(1, -1);
  throw missing(
    `The graph does not use the checkpoint's ${quoteName(tensor.name)}, a single number, and stores single ` +
      `numbers that nothing fills: ${quoteNames(scalars)}. If one of them is that weight, export the graph ` +
      `with ${plainExport}; if none is, declare them: add ${entries} to the eval set's spec (\`*\` stands for ` +
      'any characters).',
  );
}

/** Most single numbers shown as JSON in a sentence. */
const scalarsShown = 3;

function missing(message: string): FirnError {
  return new FirnError('graph-missing-weights', message);
}
