import { dtypeBytes } from '../../../checkpoint/dtype.ts';
import type { GraphInitializer } from '../../describe-graph.ts';
import { elementWords } from '../../elements/element-words.ts';
import type { GraphSource } from '../../onnx/graph-source.ts';
import type { FloatDtype } from '../../onnx/onnx-dtype.ts';
import { readElements } from '../../elements/read-elements.ts';

/**
 * Content that shows the purpose of a stored tensor: all zeros; all another number; or an additive mask, which consists
 * of 0 and one number so low that softmax turns it into 0.
 */
export type PlainContent = 'zeros' | 'uniform' | 'mask';

/**
 * The highest number in a mask; Swin's is -100, most are -10000 or less. No trained weight has only two values with one
 * of them this low.
 */
const maskNumberMax = -100;

/** Different words read before a tensor counts as not plain; 0 has two. */
const wordsMax = 4;

/** Watches a tensor's elements as they pass by. */
export class PlainWatch {
  readonly #dtype: FloatDtype;
  readonly #words = new Set<number | bigint>();

  constructor(dtype: FloatDtype) {
    this.#dtype = dtype;
  }

  /** Takes the next elements, whole ones. False once it is clear that the content is not plain. */
  take(piece: Uint8Array): boolean {
    let last: number | bigint | undefined;
    if (this.#words.size > wordsMax) return false;
    for (const word of elementWords(piece, dtypeBytes[this.#dtype])) {
      if (word === last) continue;
      last = word;
      if (this.#words.add(word).size > wordsMax) return false;
    }
    return true;
  }

  /** The content of all elements taken. */
  get content(): PlainContent | undefined {
    if (this.#words.size > wordsMax) return undefined;
    const numbers = [...new Set([...this.#words].map((word) => numberOf(word, this.#dtype) + 0))].sort((a, b) => a - b);
    if (numbers.length === 1) return numbers[0] === 0 ? 'zeros' : 'uniform';
    return numbers.length === 2 && numbers[1] === 0 && numbers[0]! <= maskNumberMax ? 'mask' : undefined;
  }
}

/**
 * Reads a stored initializer until it is clear that it is none of {@link PlainContent}. Errors: `graph-invalid`, the
 * source's.
 */
export async function plainContentOf(
  source: GraphSource,
  { stored, dtype }: GraphInitializer,
  signal?: AbortSignal,
): Promise<PlainContent | undefined> {
  if (stored === undefined) return undefined;
  const watch = new PlainWatch(dtype as FloatDtype);
  for await (const piece of readElements(source, stored, signal)) if (!watch.take(piece)) return undefined;
  return watch.content;
}

function numberOf(word: number | bigint, dtype: FloatDtype): number {
  const view = new DataView(new ArrayBuffer(8));
  switch (dtype) {
    case 'F64':
      view.setBigUint64(0, BigInt(word));
      return view.getFloat64(0);
    case 'F32':
      view.setUint32(0, Number(word));
      return view.getFloat32(0);
    case 'BF16':
      view.setUint32(0, Number(word) << 16);
      return view.getFloat32(0);
    case 'F16':
      return halfNumber(Number(word));
  }
}

/** The value of a binary16 word. */
function halfNumber(word: number): number {
  const sign = word & 0x8000 ? -1 : 1;
  const exponent = (word >> 10) & 0x1f;
  const fraction = word & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}
