import { isMatrix } from '../series/checkpoint-weights.ts';
import { BitReader } from '../coding/bit-reader.ts';
import { BitWriter } from '../coding/bit-writer.ts';
import { cyclicDelta } from '../coding/delta-coders.ts';
import { readHuffman, writeHuffman } from '../coding/huffman.ts';
import type { Comparator, TensorValues } from './comparator.ts';

interface EntropyKnob {
  readonly binsMin: number;
  readonly binsMax: number;
}

/** Buckets of the histogram for a tensor's entropy. */
const entropyBuckets = 256;
const binCounts = [8, 16, 32, 64, 128, 256];

/**
 * QD-Compressor (Zhang et al., ICCD 2021: local-sensitive quantization, then differences), as compared in
 * Inshrinkerator sections 6, 9.3 and appendix A.2, table 10. Each tensor gets a uniform quantizer over its range. The
 * larger the entropy of its histogram, the more bits it has, between a least and a most number of bins. Differences to
 * the previous bins, modulo the larger of both bin counts, are stored in a Huffman code for each tensor.
 */
export const entropyUniform: Comparator<EntropyKnob> = {
  name: 'entropy-based uniform (QD)',
  alwaysAfresh: true,
  knobs: binCounts.flatMap((binsMin) =>
    binCounts.filter((binsMax) => binsMax >= binsMin).map((binsMax) => ({ binsMin, binsMax })),
  ),
  describe: ({ binsMin, binsMax }) => `${binsMin} to ${binsMax} bins`,
  takes: isMatrix,
  encode(tensors, knob, previous) {
    const writer = new BitWriter();
    const widths = bitWidths(tensors, knob);
    for (const [i, tensor] of tensors.entries()) {
      const { min, step, bins } = quantize(tensor.values, 2 ** widths[i]!);
      const before = previous?.bins?.[i];
      writer.varint(widths[i]!);
      writer.float32(min);
      writer.float32(step);
      writeHuffman(
        writer,
        cyclicDelta({ current: bins, previous: before, modulus: modulusOf(2 ** widths[i]!, before) }),
      );
    }
    return writer.finish();
  },
  decode(bytes, shapes, previous) {
    const reader = new BitReader(bytes);
    let binBits = 0;
    const tensors = shapes.map(({ elementCount }, i) => {
      const binCount = 2 ** reader.varint();
      const [min, step] = [reader.float32(), reader.float32()];
      const from = reader.readBits;
      const delta = readHuffman(reader, elementCount);
      binBits += reader.readBits - from;
      const before = previous?.bins?.[i];
      const modulus = modulusOf(binCount, before);
      const bins = delta.map((difference, at) => ((before?.[at] ?? 0) - difference + modulus) % modulus);
      return { bins, values: Float32Array.from(bins, (bin) => min + bin * step) };
    });
    return {
      values: tensors.map(({ values }) => values),
      bins: tensors.map(({ bins }) => bins),
      binBytes: binBits / 8,
    };
  },
};

/** Bits of each tensor: the least for the smallest entropy, the most for the largest, linear and rounded in between. */
export function bitWidths(
  tensors: readonly Pick<TensorValues, 'values'>[],
  { binsMin, binsMax }: EntropyKnob,
): number[] {
  const entropies = tensors.map(({ values }) => histogramEntropy(values));
  const [lowest, highest] = [Math.min(...entropies), Math.max(...entropies)];
  const span = highest - lowest || 1;
  const [least, most] = [Math.log2(binsMin), Math.log2(binsMax)];
  return entropies.map((entropy) => Math.round(least + ((most - least) * (entropy - lowest)) / span));
}

function histogramEntropy(values: Float32Array): number {
  const { bins } = quantize(values, entropyBuckets);
  const counts = new Float64Array(entropyBuckets);
  for (const bin of bins) counts[bin] = counts[bin]! + 1;
  return counts.reduce(
    (bits, count) => (count === 0 ? bits : bits - (count / values.length) * Math.log2(count / values.length)),
    0,
  );
}

function quantize(values: Float32Array, binCount: number): { min: number; step: number; bins: Int32Array } {
  const [min, max] = [
    values.reduce((a, b) => Math.min(a, b), Infinity),
    values.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  const step = Math.fround((max - min) / (binCount - 1));
  const bins = Int32Array.from(values, (value) =>
    step > 0 ? Math.min(binCount - 1, Math.round((value - min) / step)) : 0,
  );
  return { min, step, bins };
}

/** The count of the previous bins is not stored, so their largest bin takes its place. */
function modulusOf(binCount: number, before: Int32Array | undefined): number {
  return (before ?? new Int32Array(0)).reduce((most, bin) => Math.max(most, bin + 1), binCount);
}
