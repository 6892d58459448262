import { layerOf } from '../../../checkpoint/layer-of.ts';
import { isFloat, readFloats } from './read-floats.ts';
import { pieceBytes, type StoredTensor } from './weights.ts';

/** How far a tensor moved from one checkpoint to another. */
export interface Movement {
  readonly tensor: string;
  readonly layer: string;
  readonly elements: number;
  /** ||b - a|| / ||a||, Euclidean; null if it is not finite, as where a tensor was zero and is not any more. */
  readonly relative: number | null;
  /** Largest change of one element; null if it is not finite. */
  readonly largest: number | null;
  /** Share of the elements that changed at all. */
  readonly changed: number;
  /** Sums of squares, of which layers are made. */
  readonly squares: { readonly moved: number; readonly before: number };
}

export interface Comparison {
  /** In the order of the first checkpoint. */
  readonly movements: readonly Movement[];
  /** Names of tensors that are only in one of them, or have another shape, or are no floating numbers. */
  readonly notCompared: readonly { readonly tensor: string; readonly why: string }[];
}

/** Compares the tensors of two checkpoints by name, one after the other. `onTensor` gets the bytes done so far. */
export async function compareWeights(
  before: readonly StoredTensor[],
  after: readonly StoredTensor[],
  onTensor: (doneBytes: number) => void,
): Promise<Comparison> {
  const byName = new Map(after.map((tensor) => [tensor.name, tensor]));
  const known = new Set(before.map(({ name }) => name));
  const movements: Movement[] = [];
  const notCompared = after
    .filter(({ name }) => !known.has(name))
    .map(({ name }) => ({ tensor: name, why: 'only in the second' }));
  let done = 0;
  for (const tensor of before) {
    const other = byName.get(tensor.name);
    const why = whyNot(tensor, other);
    if (why === undefined) movements.push(await compareTensor(tensor, other!));
    else notCompared.push({ tensor: tensor.name, why });
    onTensor((done += tensor.endBytes - tensor.startBytes));
  }
  return { movements, notCompared };
}

function whyNot(a: StoredTensor, b: StoredTensor | undefined): string | undefined {
  if (b === undefined) return 'only in the first';
  if (a.shape.join() !== b.shape.join()) return `shape [${a.shape.join()}] became [${b.shape.join()}]`;
  return isFloat(a.dtype) && isFloat(b.dtype) ? undefined : `${a.dtype} is not compared`;
}

async function compareTensor(a: StoredTensor, b: StoredTensor): Promise<Movement> {
  const sums = { moved: 0, before: 0, largest: 0, changed: 0 };
  const count = a.elementCount;
  const bytesOf = (tensor: StoredTensor): number => (tensor.endBytes - tensor.startBytes) / Math.max(1, count);
  const [aBytes, bBytes] = [bytesOf(a), bytesOf(b)];
  const elementsAtOnce = pieceBytes / Math.max(aBytes, bBytes, 1);
  for (let at = 0; at < count; at += elementsAtOnce) {
    const end = Math.min(count, at + elementsAtOnce);
    const [first, second] = await Promise.all([a.read(at * aBytes, end * aBytes), b.read(at * bBytes, end * bBytes)]);
    addPiece(sums, readFloats(a.dtype, first), readFloats(b.dtype, second));
  }
  return {
    tensor: a.name,
    layer: layerOf(a.name),
    elements: count,
    relative: ratioOfNorms(sums.moved, sums.before),
    largest: finite(sums.largest),
    changed: count === 0 ? 0 : sums.changed / count,
    squares: { moved: sums.moved, before: sums.before },
  };
}

function addPiece(
  sums: { moved: number; before: number; largest: number; changed: number },
  a: Float64Array,
  b: Float64Array,
): void {
  for (let at = 0; at < a.length; at++) {
    const difference = b[at]! - a[at]!;
    if (difference !== 0) sums.changed += 1;
    sums.moved += difference * difference;
    sums.before += a[at]! * a[at]!;
    // NaN stays NaN.
    sums.largest = Math.max(sums.largest, Math.abs(difference));
  }
}

/** The square root of a ratio of sums of squares; null if it is not finite. Nothing that did not move is 0. */
export function ratioOfNorms(moved: number, before: number): number | null {
  return moved === 0 ? 0 : finite(Math.sqrt(moved) / Math.sqrt(before));
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
