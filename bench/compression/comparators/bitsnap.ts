import { isParameter } from '../checkpoint-weights.ts';
import { BitReader } from '../coding/bit-reader.ts';
import { BitWriter } from '../coding/bit-writer.ts';
import type { Comparator, DecodedState, TensorShape, TensorValues } from './comparator.ts';

/** Model states in 16 bits with a mask of those that changed, or clusters of fp32 states. */
type BitSnapKnob = 'bitmask' | 'clusters';

/** Clusters of a tensor: labels then take 4 bits (section 3.4, "m to be less equal than 16"). */
const clusterCount = 16;
const labelBits = 4;
/** Bits of a value inside its cluster. */
const valueBits = 8;
/** Bits of a model state in mixed-precision training. */
const stateBits = 16;

/**
 * BitSnap (section 3.3, improved bitmask sparsification: n / 8 bytes of mask and the changed 16-bit model states; section 3.4, cluster-based quantization of
 * fp32 states, model weights included: 4 bits of label, 8 bits of value, a scale and an offset a cluster). States here are bfloat16, rounded to the nearest.
 */
export const bitSnap: Comparator<BitSnapKnob> = {
  name: 'BitSnap',
  alwaysAfresh: true,
  startsExact: false,
  knobs: ['bitmask', 'clusters'],
  describe: (knob) => (knob === 'bitmask' ? 'bitmask of bf16' : `${clusterCount} clusters`),
  takes: isParameter,
  encode(tensors, knob, previous) {
    const writer = new BitWriter();
    writer.bits(knob === 'bitmask' ? 0 : 1, 1);
    for (const [i, tensor] of tensors.entries()) {
      if (knob === 'bitmask') writeBitmask(writer, tensor, previous?.values[i]);
      else writeClusters(writer, tensor);
    }
    return writer.finish();
  },
  decode(bytes, shapes, previous): DecodedState {
    const reader = new BitReader(bytes);
    const clusters = reader.bit() === 1;
    return { values: shapes.map((shape, i) => (clusters ? readClusters(reader, shape) : readBitmask(reader, shape, previous?.values[i]))) };
  },
};

/** A state that is stored whole counts as changed everywhere, without a mask. */
function writeBitmask(writer: BitWriter, { values }: TensorValues, previous: Float32Array | undefined): void {
  const words = Array.from(values, roundedWord);
  const changed = words.map((word, i) => previous === undefined || word !== roundedWord(previous[i]!));
  if (previous !== undefined) for (const bit of changed) writer.bits(bit ? 1 : 0, 1);
  for (const [i, word] of words.entries()) if (changed[i]) writer.bits(word, stateBits);
}

function readBitmask(reader: BitReader, { elementCount }: TensorShape, previous: Float32Array | undefined): Float32Array {
  const changed = Array.from({ length: elementCount }, () => previous === undefined || reader.bit() === 1);
  return Float32Array.from(changed, (bit, i) => wordValue(bit ? reader.bits(stateBits) : roundedWord(previous![i]!)));
}

/** The upper half of fp32, to nearest, ties to even. Values are finite. */
function roundedWord(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0]!;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) / 65536) & 0xffff;
}

function wordValue(word: number): number {
  return new Float32Array(Uint32Array.of(word * 65536).buffer)[0]!;
}

/** Clusters of equal probability under a normal distribution of the tensor's mean and deviation; inside each, 8-bit asymmetric quantization. */
function writeClusters(writer: BitWriter, { values }: TensorValues): void {
  const labels = clusterLabels(values);
  const ranges = Array.from({ length: clusterCount }, () => ({ min: Infinity, max: -Infinity }));
  for (const [i, value] of values.entries()) {
    const range = ranges[labels[i]!]!;
    range.min = Math.min(range.min, value);
    range.max = Math.max(range.max, value);
  }
  for (const { min, max } of ranges) {
    writer.float32(min === Infinity ? 0 : min);
    writer.float32(min === Infinity ? 0 : max - min);
  }
  for (const [i, value] of values.entries()) {
    const { min, max } = ranges[labels[i]!]!;
    writer.bits(labels[i]!, labelBits);
    writer.bits(max === min ? 0 : Math.round(((2 ** valueBits - 1) * (value - min)) / (max - min)), valueBits);
  }
}

function readClusters(reader: BitReader, { elementCount }: TensorShape): Float32Array {
  const clusters = Array.from({ length: clusterCount }, () => ({ offset: reader.float32(), scale: reader.float32() }));
  return Float32Array.from({ length: elementCount }, () => {
    const { offset, scale } = clusters[reader.bits(labelBits)]!;
    return offset + (scale * reader.bits(valueBits)) / (2 ** valueBits - 1);
  });
}

/** Upper edges of the first 8 of 16 equally likely parts of the standard normal distribution; the others mirror them. */
const normalQuantiles = [-1.534121, -1.150349, -0.887147, -0.67449, -0.488776, -0.318639, -0.157311, 0];

/** The cluster of each value. */
export function clusterLabels(values: Float32Array): Uint8Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) || 1;
  const edges = [
    ...normalQuantiles,
    ...normalQuantiles
      .slice(0, -1)
      .reverse()
      .map((quantile) => -quantile),
  ];
  return Uint8Array.from(values, (value) => {
    const score = (value - mean) / deviation;
    const above = edges.findIndex((edge) => score <= edge);
    return above < 0 ? clusterCount - 1 : above;
  });
}
