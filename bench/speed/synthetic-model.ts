import { buildSafetensorsHeader, type PlannedTensor } from '../../src/checkpoint/safetensors/safetensors-header.ts';

/** Parameters of a synthetic model. */
export interface SyntheticShape {
  /** Transformer layers of about 50 MB each, in addition to an embedding of 32 MB. */
  readonly layers: number;
  /** Standard deviation of one checkpoint's changes, relative to that of a weight's row. */
  readonly drift: number;
}

/** Width of the model, the same as GPT-2 medium's. */
const width = 1024;
/** Rows of the embedding. */
const vocabulary = 8192;
/** Share of outlier weights, and their distance. */
const outlierShare = 0.001;
const outlierFactor = 6;
/** Standard deviation of the logarithm of rows' scales, and of the logarithm of weights' own shares in the drift. */
const rowSpread = 0.25;
const driftSpread = 0.8;

interface SyntheticTensor extends PlannedTensor {
  /** Standard deviation of the weights; 0 for gains around 1. */
  readonly scale: number;
}

/**
 * Checkpoints of one GPT-like model as safetensors files, one after the other. Rows are normally distributed with
 * different scales, with 0.1 % outliers and gains around 1. Then every weight drifts by a heavy-tailed share of its
 * row's scale, so that few weights do most of the moving. The same numbers at every call.
 */
export function* syntheticCheckpoints({ layers, drift }: SyntheticShape, count: number): Generator<Uint8Array> {
  const tensors = tensorsOf(layers);
  const layout = buildSafetensorsHeader(tensors.map(({ name, dtype, shape }) => ({ name, dtype, shape })));
  const file = new Uint8Array(layout.sizeBytes);
  file.set(layout.headerBytes);
  const values = layout.tensors.map((entry) => new Float32Array(file.buffer, entry.startBytes, entry.elementCount));
  tensors.forEach((tensor, i) => fill(values[i]!, tensor, i));
  yield file.slice();
  for (let step = 1; step < count; step++) {
    tensors.forEach((tensor, i) => move(values[i]!, tensor, i, { drift, step }));
    yield file.slice();
  }
}

function tensorsOf(layers: number): SyntheticTensor[] {
  const tensor = (name: string, shape: readonly number[], scale: number): SyntheticTensor => ({
    name,
    dtype: 'F32',
    shape,
    scale,
  });
  const list = [tensor('wte.weight', [vocabulary, width], 0.14)];
  for (let i = 0; i < layers; i++) {
    const growth = 0.6 + (0.8 * i) / Math.max(1, layers - 1);
    const linear = (name: string, rows: number, columns: number, scale: number): SyntheticTensor[] => [
      tensor(`h.${i}.${name}.weight`, [rows, columns], scale * growth),
      tensor(`h.${i}.${name}.bias`, [columns], 0.05),
    ];
    list.push(
      tensor(`h.${i}.ln_1.weight`, [width], 0),
      tensor(`h.${i}.ln_1.bias`, [width], 0.03),
      ...linear('attn.c_attn', width, 3 * width, 0.13),
      ...linear('attn.c_proj', width, width, 0.09),
      tensor(`h.${i}.ln_2.weight`, [width], 0),
      tensor(`h.${i}.ln_2.bias`, [width], 0.03),
      ...linear('mlp.c_fc', width, 4 * width, 0.1),
      ...linear('mlp.c_proj', 4 * width, width, 0.08),
    );
  }
  return [...list, tensor('ln_f.weight', [width], 0), tensor('ln_f.bias', [width], 0.05)];
}

function fill(values: Float32Array, tensor: SyntheticTensor, index: number): void {
  const random = new Normal(index + 1);
  const scales = rowScales(tensor, index);
  for (let i = 0; i < values.length; i++) {
    const outlier = random.unit() < outlierShare ? outlierFactor : 1;
    values[i] = (tensor.scale === 0 ? 1 : 0) + scales[Math.floor(i / width) % scales.length]! * outlier * random.next();
  }
}

function move(
  values: Float32Array,
  tensor: SyntheticTensor,
  index: number,
  { drift, step }: { readonly drift: number; readonly step: number },
): void {
  const random = new Normal(1000 * step + index + 1);
  const scales = rowScales(tensor, index);
  for (let i = 0; i < values.length; i++) {
    const share = Math.exp(driftSpread * random.next() - driftSpread ** 2 / 2);
    values[i]! += drift * scales[Math.floor(i / width) % scales.length]! * share * random.next();
  }
}

function rowScales({ scale, shape }: SyntheticTensor, index: number): Float64Array {
  const random = new Normal(-index - 1);
  const rows = shape.length > 1 ? shape[0]! : 1;
  return Float64Array.from({ length: rows }, () => (scale === 0 ? 0.1 : scale * Math.exp(rowSpread * random.next())));
}

/**
 * Normal deviates from a 32-bit xorshift generator (Marsaglia, "Xorshift RNGs", 2003) by the polar method, two at a
 * time.
 */
class Normal {
  #state: number;
  #spare: number | undefined;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x2545f491) | 1;
  }

  /** In 0..1. */
  unit(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) / 2 ** 32;
  }

  next(): number {
    if (this.#spare !== undefined) {
      const spare = this.#spare;
      this.#spare = undefined;
      return spare;
    }
    for (;;) {
      const x = 2 * this.unit() - 1;
      const y = 2 * this.unit() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      this.#spare = y * factor;
      return x * factor;
    }
  }
}
