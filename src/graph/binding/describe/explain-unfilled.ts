import { quoteName } from '../../../checkpoint/words/quote-name.ts';
import type { GraphInitializer } from '../../describe-graph.ts';
import { isTransposed, sameShape } from '../../match-by-content.ts';
import { quoteNames } from '../../quote-names.ts';
import type { CheckpointTensor } from '../../weight-binding.ts';
import { plainExport, unfoldedExport } from './export-advice.ts';
import { joinedTensors } from './joined-tensors.ts';
import { byElementCount, type SizedTensor } from './tensor-groups.ts';

/** Most initializers for which a place in the checkpoint is looked for; a sentence names no more. */
const explainedMax = 20;
/** Most entries of a tensor map in a sentence. */
const entriesMax = 3;

/**
 * Possible explanations of an initializer, the worst first: those that need another export, then those that a map
 * solves, then those that may be no weight.
 */
type Guess =
  | {
      readonly kind: 'folded' | 'joined' | 'reshaped' | 'computed';
      readonly initializer: GraphInitializer;
      readonly tensors: readonly CheckpointTensor[];
    }
  | { readonly kind: 'renamed'; readonly initializer: GraphInitializer; readonly tensors: readonly CheckpointTensor[] }
  | { readonly kind: 'unknown'; readonly initializer: GraphInitializer };

const order = ['folded', 'joined', 'computed', 'reshaped', 'renamed', 'unknown'] as const;

/**
 * Suggests a remedy for initializers that no tensor fills, from the unused tensors of the checkpoint: an entry of the
 * tensor map, the option of the exporter that keeps weights separate, or a declaration of constants.
 */
export function explainUnfilled(
  initializers: readonly GraphInitializer[],
  unused: readonly CheckpointTensor[],
): string {
  const groups = byElementCount(unused);
  const guesses = initializers.slice(0, explainedMax).map((each) => guess(each, unused, groups));
  const kind = order.find((each) => guesses.some((one) => one.kind === each))!;
  const alike = guesses.filter((one) => one.kind === kind);
  const first = alike[0]!;
  const name = quoteName(first.initializer.name);
  if (first.kind === 'unknown') return whatElse(alike.map((one) => one.initializer));
  const names = quoteNames(first.tensors.map((tensor) => tensor.name));
  const again = `export the graph with ${plainExport}, or with ${unfoldedExport}`;
  switch (first.kind) {
    case 'folded':
      return (
        `${name} looks like ${quoteName(first.tensors[0]!.name)} with a batch normalization folded into it ` +
        `(${quoteName(first.tensors[1]!.name)} is unused, too): ${again}.`
      );
    case 'joined':
      return `${name} looks like ${names} joined by the exporter: ${again}.`;
    case 'computed':
      return `${name} looks computed from ${names}, which the graph does not use otherwise: ${again}.`;
    case 'reshaped':
      return `${name} has as many elements as ${names}, in another shape: ${again}.`;
    case 'renamed':
      return renamed(
        alike.flatMap((one) => (one.kind === 'renamed' ? [one] : [])),
        again,
      );
  }
}

function guess(
  initializer: GraphInitializer,
  unused: readonly CheckpointTensor[],
  groups: ReadonlyMap<number, readonly SizedTensor[]>,
): Guess {
  const sized = groups.get(initializer.elementCount) ?? [];
  const renamedTo = sized.filter(
    (tensor) => sameShape(tensor.shape, initializer.shape) || isTransposed(tensor.shape, initializer.shape),
  );
  const norm =
    renamedTo.length > 0 && initializer.shape.length > 2
      ? unused.find((each) => isRunningVariance(each, initializer.shape))
      : undefined;
  if (norm !== undefined) return { kind: 'folded', initializer, tensors: [renamedTo[0]!, norm] };
  if (renamedTo.length > 0) return { kind: 'renamed', initializer, tensors: renamedTo };
  if (sized.length > 0) return { kind: 'reshaped', initializer, tensors: sized };
  const joined = joinedTensors(initializer.elementCount, groups);
  if (joined.length > 0) return { kind: 'joined', initializer, tensors: joined };
  const width = initializer.shape.at(-1) ?? 1;
  const source =
    width > 1 && initializer.elementCount > width
      ? unused.find(({ shape }) => shape.length === 2 && shape[1] === width)
      : undefined;
  return source === undefined ? { kind: 'unknown', initializer } : { kind: 'computed', initializer, tensors: [source] };
}

/**
 * Whether a tensor is a running variance with as many channels as a convolution has outputs (or, transposed, inputs).
 */
function isRunningVariance({ name, shape }: CheckpointTensor, kernel: readonly number[]): boolean {
  return shape.length === 1 && kernel.slice(0, 2).includes(shape[0]!) && /(^|\.)running_var$/.test(name);
}

function renamed(
  guesses: readonly { readonly initializer: GraphInitializer; readonly tensors: readonly CheckpointTensor[] }[],
  again: string,
): string {
  const [{ initializer, tensors }] = guesses as [(typeof guesses)[number]];
  if (tensors.length > 1)
    return (
      `${quoteName(initializer.name)} has the shape of ${quoteNames(tensors.map((tensor) => tensor.name))}: ` +
      `${again}, or say in "tensorMap" which one it is.`
    );
  const entries = guesses
    .filter((each) => each.tensors.length === 1)
    .slice(0, entriesMax)
    .map((each): [string, object] => [each.initializer.name, entryOf(each.initializer, each.tensors[0]!)]);
  const map = JSON.stringify({ tensorMap: Object.fromEntries(entries) }).slice(1, -1);
  return (
    `${quoteName(initializer.name)} has the shape of the unused tensor ${quoteName(tensors[0]!.name)}: if it ` +
    `is that weight, add ${map} to the eval set's spec; or ${again}.`
  );
}

/** A square matrix may need transposing or not; the reader has to decide. */
function entryOf(initializer: GraphInitializer, tensor: CheckpointTensor): object {
  return sameShape(tensor.shape, initializer.shape)
    ? { tensor: tensor.name }
    : { tensor: tensor.name, transpose: true };
}

function whatElse(initializers: readonly GraphInitializer[]): string {
  const open = initializers.filter((each) => each.external);
  if (open.length > 0)
    return (
      `The checkpoint must hold ${open.length === 1 ? 'it' : 'them'}, in all its shards; what is no weight of ` +
      `the model has to be stored in the graph (\`external_data=False\`).`
    );
  // Lists all that were explained: a line to paste with fewer entries than the sentence names would be refused again.
  const constants = JSON.stringify({ constants: initializers.map((each) => each.name) }).slice(1, -1);
  return (
    'If the checkpoint lacks them, push it with all its shards; if they are no weights of the model (a rotary ' +
    `table, a mask), add ${constants} to the eval set's spec.`
  );
}
