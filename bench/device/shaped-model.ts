import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { buildSafetensorsHeader, type PlannedTensor } from '../../src/checkpoint/safetensors/safetensors-header.ts';

/** A GPT-like model's sizes. */
export interface ModelShape {
  readonly width: number;
  readonly layers: number;
  readonly vocabulary: number;
}

/** Shapes by billions of parameters, as they are asked for. */
export const modelShapes: ReadonlyMap<string, ModelShape> = new Map([
  ['0.01', { width: 256, layers: 8, vocabulary: 16_384 }],
  ['0.03', { width: 512, layers: 7, vocabulary: 16_384 }],
  ['0.1', { width: 768, layers: 12, vocabulary: 16_384 }],
  ['1', { width: 2048, layers: 19, vocabulary: 16_384 }],
  ['7', { width: 4096, layers: 34, vocabulary: 32_000 }],
]);

/** Deviation of the logarithm of the rows' scales. */
const rowSpread = 0.25;
/** Numbers to draw from: a row takes a stretch of them, from a place of its own. */
const poolSize = 1 << 20;

export function tensorsOf({ width, layers, vocabulary }: ModelShape): readonly PlannedTensor[] {
  const tensor = (name: string, ...shape: readonly number[]): PlannedTensor => ({ name, dtype: 'F32', shape });
  const list = [tensor('wte.weight', vocabulary, width)];
  for (let i = 0; i < layers; i++)
    list.push(
      tensor(`h.${i}.ln_1.weight`, width),
      tensor(`h.${i}.attn.c_attn.weight`, 3 * width, width),
      tensor(`h.${i}.attn.c_proj.weight`, width, width),
      tensor(`h.${i}.ln_2.weight`, width),
      tensor(`h.${i}.mlp.c_fc.weight`, 4 * width, width),
      tensor(`h.${i}.mlp.c_proj.weight`, width, 4 * width),
    );
  return [...list, tensor('ln_f.weight', width)];
}

export function parameterCount(shape: ModelShape): number {
  return tensorsOf(shape).reduce((sum, tensor) => sum + tensor.shape.reduce((a, b) => a * b, 1), 0);
}

/**
 * Writes checkpoint `step` of a model of this shape to a safetensors file, row by row, so that memory stays small.
 * Rows are normally distributed with scales of their own. From the first checkpoint on every weight moves with each
 * step, by `drift` of its row's scale and a heavy-tailed share of its own. Equal arguments give equal files.
 */
export async function writeShapedModel(
  path: string,
  shape: ModelShape,
  { step, drift }: { readonly step: number; readonly drift: number },
): Promise<void> {
  const tensors = tensorsOf(shape);
  const { headerBytes } = buildSafetensorsHeader(tensors, {});
  const pool = new Pool();
  await pipeline(function* () {
    yield headerBytes;
    for (const [index, tensor] of tensors.entries()) yield* rowsOf(pool, tensor, { index, step, drift });
  }, createWriteStream(path));
}

function* rowsOf(
  pool: Pool,
  { shape }: PlannedTensor,
  { index, step, drift }: { readonly index: number; readonly step: number; readonly drift: number },
): Generator<Uint8Array> {
  const columns = shape.at(-1)!;
  const rows = shape.length > 1 ? shape[0]! : 1;
  const gain = shape.length > 1 ? 0 : 1;
  for (let row = 0; row < rows; row++) {
    const place = new Places(index, row);
    const scale = 0.1 * Math.exp(rowSpread * pool.normals[place.next(1)]!);
    const values = new Float32Array(columns);
    const from = place.next(columns);
    for (let i = 0; i < columns; i++) values[i] = gain + scale * pool.normals[from + i]!;
    for (let moved = 0; moved < step; moved++) {
      const at = place.next(columns);
      for (let i = 0; i < columns; i++) values[i]! += drift * scale * pool.moves[at + i]!;
    }
    yield new Uint8Array(values.buffer);
  }
}

/** Normal deviates, and products of such with log-normal ones. The same in every process. */
class Pool {
  readonly normals: Float32Array = new Float32Array(poolSize);
  readonly moves: Float32Array = new Float32Array(poolSize);

  constructor() {
    const places = new Places(1, 1);
    const unit = (): number => (places.word() + 1) / (2 ** 32 + 1);
    const normal = (): number => Math.sqrt(-2 * Math.log(unit())) * Math.cos(2 * Math.PI * unit());
    for (let i = 0; i < poolSize; i++) this.normals[i] = normal();
    for (let i = 0; i < poolSize; i++) this.moves[i] = normal() * Math.exp(0.8 * normal() - 0.32);
  }
}

/** Places in the pool: xorshift of 32 bits (Marsaglia, "Xorshift RNGs", 2003). */
class Places {
  #state: number;

  constructor(tensor: number, row: number) {
    this.#state = (Math.imul(tensor + 1, 0x9e3779b1) ^ Math.imul(row + 1, 0x85ebca6b)) | 1;
    // The first words of neighbouring seeds are alike.
    for (let i = 0; i < 8; i++) this.word();
  }

  word(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return x >>> 0;
  }

  /** Start of a stretch of `count` numbers. */
  next(count: number): number {
    return this.word() % (poolSize - count + 1);
  }
}
