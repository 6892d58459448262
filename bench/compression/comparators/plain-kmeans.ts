import { isMatrix } from '../series/checkpoint-weights.ts';
import { BitReader } from '../coding/bit-reader.ts';
import { BitWriter } from '../coding/bit-writer.ts';
import type { Comparator, TensorShape, TensorValues } from './comparator.ts';

interface KmeansKnob {
  readonly bins: number;
  readonly embeddingBins: number;
}

/** Log probability density below which a weight is an outlier, stored as fp32 (Inshrinkerator table 12). */
const outlierLogDensity = -4;
/** Most rounds of a clustering (table 12). */
const roundsMax = 1000;

/**
 * GOBO (Zadeh et al., MICRO 2020) with the search space of Inshrinkerator appendix A.2, table 12. In each tensor,
 * outliers of a fitted normal distribution are stored in full. The others are clustered by k-means, which starts from
 * equally full bins and ends when the L1 distance no longer falls. Codes have log2(bins) bits; there is no delta.
 */
export const plainKmeans: Comparator<KmeansKnob> = {
  name: 'plain k-means (GOBO)',
  alwaysAfresh: true,
  knobs: [8, 16, 32, 64, 128, 256].flatMap((bins) => [16, 32].map((embeddingBins) => ({ bins, embeddingBins }))),
  describe: ({ bins, embeddingBins }) => `${bins}/${embeddingBins} bins`,
  takes: isMatrix,
  encode(tensors, knob) {
    const writer = new BitWriter();
    for (const tensor of tensors)
      writeTensor(writer, tensor, tensor.layerType === 'embedding' ? knob.embeddingBins : knob.bins);
    return writer.finish();
  },
  decode(bytes, shapes) {
    const reader = new BitReader(bytes);
    const tensors = shapes.map((shape) => readTensor(reader, shape));
    const binBits = tensors.reduce((sum, tensor) => sum + tensor.binBits, 0);
    return {
      values: tensors.map(({ values }) => values),
      bins: tensors.map(({ bins }) => bins),
      binBytes: binBits / 8,
    };
  },
};

function writeTensor(writer: BitWriter, { values }: TensorValues, bins: number): void {
  const outlier = outliersOf(values);
  const centroids = clusterL1(
    values.filter((_, i) => outlier[i] === 0),
    bins,
  );
  const width = Math.log2(bins);
  writer.varint(width);
  for (let k = 0; k < bins; k += 1) writer.float32(centroids[k] ?? 0);
  writer.varint(outlier.reduce((count, is) => count + is, 0));
  let before = 0;
  for (const [i, is] of outlier.entries()) {
    if (is === 0) continue;
    writer.varint(i - before);
    writer.float32(values[i]!);
    before = i;
  }
  for (const value of values) writer.bits(nearest(centroids, value), width);
}

function readTensor(
  reader: BitReader,
  { elementCount }: TensorShape,
): { values: Float32Array; bins: Int32Array; binBits: number } {
  const width = reader.varint();
  const centroids = Float32Array.from({ length: 2 ** width }, () => reader.float32());
  let at = 0;
  const outliers = Array.from({ length: reader.varint() }, () => {
    at += reader.varint();
    return { at, value: reader.float32() };
  });
  const bins = Int32Array.from({ length: elementCount }, () => reader.bits(width));
  const values = Float32Array.from(bins, (bin) => centroids[bin]!);
  for (const outlier of outliers) values[outlier.at] = outlier.value;
  return { values, bins, binBits: width * elementCount };
}

/**
 * 1 for each weight whose log density under a normal distribution of the tensor's mean and deviation is below the
 * limit.
 */
function outliersOf(values: Float32Array): Uint8Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) || 1;
  // Log density of the standardized weight: in units of the weights, the scale would decide whether everything or
  // nothing is an outlier.
  const logDensity = (value: number): number => -(((value - mean) / deviation) ** 2) / 2 - Math.log(2 * Math.PI) / 2;
  return Uint8Array.from(values, (value) => (logDensity(value) < outlierLogDensity ? 1 : 0));
}

/**
 * Means of clusters in rising order; at most `bins` of them. Starts from equally full clusters and returns the best in
 * L1 distance.
 */
export function clusterL1(values: Float32Array, bins: number): Float32Array {
  const sorted = values.slice().sort();
  const sums = new Float64Array(sorted.length + 1);
  for (const [i, value] of sorted.entries()) sums[i + 1] = sums[i]! + value;
  let edges = Array.from({ length: bins + 1 }, (_, k) => Math.floor((k * sorted.length) / bins));
  let best: { distance: number; centroids: Float32Array } = { distance: Infinity, centroids: new Float32Array(0) };
  for (let round = 0; round < roundsMax; round += 1) {
    const means = meansOf(sums, edges);
    edges = [0, ...means.slice(1).map((mean, k) => lowerBound(sorted, (mean + means[k]!) / 2)), sorted.length];
    const distance = distanceL1({ sorted, sums, edges }, means);
    if (distance >= best.distance) break;
    best = { distance, centroids: means };
  }
  return best.centroids;
}

function meansOf(sums: Float64Array, edges: readonly number[]): Float32Array {
  const means = edges
    .slice(1)
    .flatMap((end, k) => (end > edges[k]! ? [(sums[end]! - sums[edges[k]!]!) / (end - edges[k]!)] : []));
  return Float32Array.from(means);
}

/** Sum of distances of all values to the means of their clusters, from prefix sums. */
function distanceL1(
  { sorted, sums, edges }: { sorted: Float32Array; sums: Float64Array; edges: readonly number[] },
  means: Float32Array,
): number {
  let distance = 0;
  for (const [k, mean] of means.entries()) {
    const [from, to] = [edges[k]!, edges[k + 1]!];
    const middle = Math.min(to, Math.max(from, lowerBound(sorted, mean)));
    distance +=
      mean * (middle - from) - (sums[middle]! - sums[from]!) + (sums[to]! - sums[middle]!) - mean * (to - middle);
  }
  return distance;
}

/** The first position whose value is at least `limit`. */
function lowerBound(sorted: Float32Array, limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function nearest(centroids: Float32Array, value: number): number {
  const above = lowerBound(centroids, value);
  if (above === 0) return 0;
  if (above === centroids.length) return centroids.length - 1;
  return value - centroids[above - 1]! <= centroids[above]! - value ? above - 1 : above;
}
