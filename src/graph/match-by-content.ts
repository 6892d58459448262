import type { GraphInitializer } from './describe-graph.ts';
import type { CheckpointTensor } from './weight-binding.ts';

/** Fewest elements of a match by content: equal single numbers are no evidence. */
const contentElementsMin = 2;

export interface ContentMatch {
  readonly initializer: string;
  readonly tensor: string;
  readonly transpose: boolean;
}

/** Whether an initializer can be matched by its bytes at all. */
export function hasMatchableContent(initializer: GraphInitializer): boolean {
  return initializer.stored !== undefined && initializer.elementCount >= contentElementsMin;
}

/** Equal for tensors and initializers of one type and shape. */
export function layoutKey({ dtype, shape }: Pick<GraphInitializer, 'dtype' | 'shape'>): string {
  return `${dtype ?? '?'}[${shape.join(',')}]`;
}

/** Equal for tensors and initializers of one shape, whatever their types. */
export function shapeKey({ shape }: Pick<GraphInitializer, 'shape'>): string {
  return layoutKey({ dtype: undefined, shape });
}

/**
 * The layouts of tensors that could hold an initializer's values: its own and, if it is a matrix, the transposed one.
 */
export function matchableLayouts(initializer: GraphInitializer): string[] {
  const { dtype, shape } = initializer;
  const own = layoutKey(initializer);
  return shape.length === 2 ? [own, layoutKey({ dtype, shape: [shape[1]!, shape[0]!] })] : [own];
}

/**
 * Lowercase hex sha256 of an initializer's elements, and of the transposed matrix; absent if no tensor could have them.
 */
export interface ContentDigests {
  readonly plain?: string;
  readonly transposed?: string;
  /** All elements are one number: this is so for many weights before training, so equal bytes are weak evidence. */
  readonly uniform?: boolean;
}

export interface ContentMatchRequest {
  readonly initializers: readonly GraphInitializer[];
  /** By initializer name. */
  readonly contents: ReadonlyMap<string, ContentDigests>;
  readonly tensors: readonly CheckpointTensor[];
  /** Lowercase hex sha256 of each tensor's bytes, by tensor name. */
  readonly digests: ReadonlyMap<string, string>;
  /** Tensors that other initializers have by name; among equal ones they come last. */
  readonly taken: ReadonlySet<string>;
}

/**
 * Pairs initializers with tensors of equal bytes, if the pair is certain. One initializer may match several tensors,
 * and several may match one; these are ties. Several initializers that match several tensors stay unpaired, because it
 * is unknown which is which. Elements that are all one number match only if just one initializer and one tensor of that
 * layout and content are left. Of tied tensors, the first in the natural order of names is taken (`layer.2` before
 * `layer.10`).
 */
export function matchByContent({
  initializers,
  contents,
  tensors,
  digests,
  taken,
}: ContentMatchRequest): ContentMatch[] {
  const index = contentIndex(tensors, digests, taken);
  const found = initializers
    .filter(hasMatchableContent)
    .flatMap((initializer) => holdersOf(initializer, contents.get(initializer.name), index) ?? []);
  const groupSizes = new Map<string, number>();
  for (const { key } of found) groupSizes.set(key, (groupSizes.get(key) ?? 0) + 1);
  return found.flatMap(({ initializer, key, holders, transpose }) => {
    const uniform = contents.get(initializer)?.uniform === true;
    const free = uniform ? holders.filter((name) => !taken.has(name)) : holders;
    const isCertain = uniform
      ? groupSizes.get(key) === 1 && free.length === 1
      : groupSizes.get(key) === 1 || free.length === 1;
    return isCertain ? [{ initializer, tensor: free[0]!, transpose }] : [];
  });
}

/** Natural order of names: digits compare as numbers. A fixed locale makes it the same on every machine. */
const naturalOrder = new Intl.Collator('en', { numeric: true });

/** Tensor names by layout and then by digest, in order of preference. */
type ContentIndex = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

function contentIndex(
  tensors: readonly CheckpointTensor[],
  digests: ReadonlyMap<string, string>,
  taken: ReadonlySet<string>,
): ContentIndex {
  const ordered = tensors.toSorted(
    (a, b) =>
      Number(taken.has(a.name)) - Number(taken.has(b.name)) ||
      naturalOrder.compare(a.name, b.name) ||
      (a.name < b.name ? -1 : 1),
  );
  const index = new Map<string, Map<string, string[]>>();
  for (const tensor of ordered) {
    const digest = digests.get(tensor.name);
    if (digest === undefined) continue;
    const key = layoutKey(tensor);
    const byDigest = index.get(key) ?? new Map<string, string[]>();
    const names = byDigest.get(digest) ?? [];
    names.push(tensor.name);
    index.set(key, byDigest.set(digest, names));
  }
  return index;
}

/** Tensors with an initializer's bytes, or else with its transposed bytes. */
function holdersOf(initializer: GraphInitializer, content: ContentDigests | undefined, index: ContentIndex) {
  const [own, turned] = matchableLayouts(initializer);
  return (
    held(initializer, index, own, content?.plain, false) ?? held(initializer, index, turned, content?.transposed, true)
  );
}

function held(
  { name }: GraphInitializer,
  index: ContentIndex,
  layout: string | undefined,
  digest: string | undefined,
  transpose: boolean,
) {
  const holders = layout === undefined || digest === undefined ? undefined : index.get(layout)?.get(digest);
  return holders && { initializer: name, key: `${layout}${digest}`, holders, transpose };
}

export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((dim, axis) => dim === b[axis]);
}

export function isTransposed(a: readonly number[], b: readonly number[]): boolean {
  return a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
}
