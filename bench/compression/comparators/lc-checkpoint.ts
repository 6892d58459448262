import { isParameter } from '../checkpoint-weights.ts';
import { BitReader } from '../coding/bit-reader.ts';
import { BitWriter } from '../coding/bit-writer.ts';
import { countSymbols, readHuffman, writeHuffman } from '../coding/huffman.ts';
import type { Comparator, DecodedState, TensorShape, TensorValues } from './comparator.ts';

/** Bits of a bucket's index; 2^bits - 1 buckets are retained. */
type PromotionBits = 2 | 3;

/** Buckets of a delta's entries, by sign and binary exponent; zero is a bucket of its own. */
interface Buckets {
  /** Rebuilt value of each index; index 0 is the bucket of all entries that are not retained. */
  readonly values: readonly number[];
  /** Index of each element. */
  readonly indexes: Int32Array;
}

/**
 * LC-Checkpoint (Chen et al., ICML 2020): the difference to the previous approximate state (algorithm 1), section 3.1.1
 * exponent-based quantization and priority promotion, section 3.1.2 Huffman coding. Each tensor has its own buckets, as
 * in its figure 2. The first checkpoint is stored whole.
 */
export const lcCheckpoint: Comparator<PromotionBits> = {
  name: 'LC-Checkpoint',
  alwaysAfresh: false,
  startsExact: true,
  knobs: [2, 3],
  describe: (bits) => `${bits}-bit promotion`,
  takes: isParameter,
  encode(tensors, bits, previous) {
    const writer = new BitWriter();
    for (const [i, tensor] of tensors.entries()) {
      const { values, indexes } = promote(deltaOf(tensor, previous?.values[i]), bits);
      writer.varint(values.length - 1);
      for (const value of values.slice(1)) writer.float32(value);
      writeHuffman(writer, indexes);
    }
    return writer.finish();
  },
  decode(bytes, shapes, previous) {
    const reader = new BitReader(bytes);
    let binBits = 0;
    const tensors = shapes.map((shape, i) => {
      const values = [0, ...Array.from({ length: reader.varint() }, () => reader.float32())];
      const before = reader.readBits;
      const bins = readHuffman(reader, shape.elementCount);
      binBits += reader.readBits - before;
      return { bins, values: moved(shape, previous?.values[i], (at) => values[bins[at]!]!) };
    });
    return {
      values: tensors.map(({ values }) => values),
      bins: tensors.map(({ bins }) => bins),
      binBytes: binBits / 8,
    };
  },
};

function deltaOf({ values }: TensorValues, previous: Float32Array | undefined): Float32Array {
  return values.map((value, i) => value - (previous?.[i] ?? 0));
}

function moved(
  { elementCount }: TensorShape,
  previous: DecodedState['values'][number] | undefined,
  by: (at: number) => number,
): Float32Array {
  return Float32Array.from({ length: elementCount }, (_, i) => (previous?.[i] ?? 0) + by(i));
}

/**
 * Retains the buckets of the 2^bits - 1 largest exponents, each rebuilt as the mean of its largest and smallest entry,
 * and merges all others into one that is rebuilt as zero. Of two signs with one exponent the more frequent comes first.
 */
export function promote(delta: Float32Array, bits: number): Buckets {
  const keys = Int32Array.from(delta, bucketOf);
  const counts = countSymbols(keys);
  counts.delete(0);
  const kept = [...counts]
    .sort(([a, countA], [b, countB]) => Math.abs(b) - Math.abs(a) || countB - countA)
    .slice(0, 2 ** bits - 1);
  const indexOf = new Map(kept.map(([key], i) => [key, i + 1]));
  const range = kept.map(() => ({ min: Infinity, max: -Infinity }));
  const indexes = keys.map((key) => indexOf.get(key) ?? 0);
  for (const [i, index] of indexes.entries()) {
    if (index === 0) continue;
    const bucket = range[index - 1]!;
    bucket.min = Math.min(bucket.min, delta[i]!);
    bucket.max = Math.max(bucket.max, delta[i]!);
  }
  return { values: [0, ...range.map(({ min, max }) => Math.fround((min + max) / 2))], indexes };
}

/** The biased exponent of fp32 plus one, with the sign; 0 for zero alone. */
function bucketOf(value: number): number {
  if (value === 0) return 0;
  const exponent = (new Uint32Array(Float32Array.of(value).buffer)[0]! >>> 23) & 255;
  return value < 0 ? -exponent - 1 : exponent + 1;
}
