import { isMatrix } from '../series/checkpoint-weights.ts';
import { BitReader } from '../coding/bit-reader.ts';
import { BitWriter } from '../coding/bit-writer.ts';
import type { Comparator, TensorShape, TensorValues } from './comparator.ts';

/**
 * Steps of the range in the greedy search, and the share of the range that may be cut off (values of Inshrinkerator
 * table 11).
 */
const stepBins = 50;
const rangeShare = 0.5;
/** Buckets of the histogram that replaces the weights in the search of a range. */
const histogramBuckets = 4096;

interface Range {
  readonly min: number;
  readonly max: number;
}

/**
 * Adaptive asymmetric quantization of Check-N-Run (Eisenman et al., NSDI 2022), as compared in Inshrinkerator appendix
 * A.2. Each tensor gets a uniform quantizer whose range is narrowed greedily from either end while that lowers the
 * squared error; codes have log2(bins) bits. Its delta coder is for embedding rows that training did not touch, and has
 * no use here (same appendix).
 */
export const adaptiveUniform: Comparator<number> = {
  name: 'adaptive uniform (Check-N-Run)',
  alwaysAfresh: true,
  knobs: [8, 16, 32, 64, 128, 256],
  describe: (bins) => `${bins} bins`,
  takes: isMatrix,
  encode(tensors, bins) {
    const writer = new BitWriter();
    writer.varint(Math.log2(bins));
    for (const tensor of tensors) writeTensor(writer, tensor, bins);
    return writer.finish();
  },
  decode(bytes, shapes) {
    const reader = new BitReader(bytes);
    const width = reader.varint();
    const tensors = shapes.map((shape) => readTensor(reader, shape, width));
    const binBits = shapes.reduce((sum, { elementCount }) => sum + width * elementCount, 0);
    return {
      values: tensors.map(({ values }) => values),
      bins: tensors.map(({ bins }) => bins),
      binBytes: binBits / 8,
    };
  },
};

function writeTensor(writer: BitWriter, { values }: TensorValues, bins: number): void {
  const { min, max } = greedyRange(values, bins);
  const step = Math.fround((max - min) / (bins - 1));
  writer.float32(min);
  writer.float32(step);
  for (const value of values) writer.bits(codeOf(value, { min, step, bins }), Math.log2(bins));
}

function readTensor(
  reader: BitReader,
  { elementCount }: TensorShape,
  width: number,
): { values: Float32Array; bins: Int32Array } {
  const [min, step] = [reader.float32(), reader.float32()];
  const bins = Int32Array.from({ length: elementCount }, () => reader.bits(width));
  return { bins, values: Float32Array.from(bins, (bin) => min + bin * step) };
}

function codeOf(value: number, { min, step, bins }: { min: number; step: number; bins: number }): number {
  return step > 0 ? Math.min(bins - 1, Math.max(0, Math.round((value - min) / step))) : 0;
}

/**
 * Starts with the whole range. Every step moves the end inwards that gives the lower squared error; returns the best
 * range on the way.
 */
export function greedyRange(values: Float32Array, bins: number): Range {
  const whole = {
    min: values.reduce((a, b) => Math.min(a, b), Infinity),
    max: values.reduce((a, b) => Math.max(a, b), -Infinity),
  };
  const width = whole.max - whole.min;
  if (width === 0) return whole;
  const histogram = new Float64Array(histogramBuckets);
  for (const value of values) {
    const bucket = Math.min(histogramBuckets - 1, Math.floor((histogramBuckets * (value - whole.min)) / width));
    histogram[bucket] = histogram[bucket]! + 1;
  }
  const error = (range: Range): number => squaredError(histogram, whole, range, bins);
  let range: Range = whole;
  let best = { range, error: error(range) };
  for (let moved = 0; moved < rangeShare * stepBins; moved += 1) {
    const [left, right] = [
      { ...range, min: range.min + width / stepBins },
      { ...range, max: range.max - width / stepBins },
    ];
    const [leftError, rightError] = [error(left), error(right)];
    range = leftError < rightError ? left : right;
    if (Math.min(leftError, rightError) < best.error) best = { range, error: Math.min(leftError, rightError) };
  }
  return { min: Math.fround(best.range.min), max: Math.fround(best.range.max) };
}

function squaredError(histogram: Float64Array, whole: Range, range: Range, bins: number): number {
  const step = (range.max - range.min) / (bins - 1);
  let error = 0;
  for (const [bucket, count] of histogram.entries()) {
    const value = whole.min + ((bucket + 0.5) * (whole.max - whole.min)) / histogramBuckets;
    error += count * (value - (range.min + step * codeOf(value, { min: range.min, step, bins }))) ** 2;
  }
  return error;
}
