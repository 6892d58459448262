import { dtypeBytes, tensorBytes, type Dtype } from '../../src/checkpoint/dtype.ts';
import type { FileRole } from '../../src/checkpoint/role.ts';
import { buildSafetensorsHeader } from '../../src/checkpoint/safetensors/safetensors-header.ts';
import { normal } from '../acceptance/random-numbers.ts';

/** 0 <= number < 1. */
export type Random = () => number;

interface RandomTensor {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

/** A file of a checkpoint, and the state from which the next one is derived. */
export interface RandomFile {
  readonly path: string;
  readonly role: FileRole;
  readonly bytes: Uint8Array;
  /** Tensors of a complete safetensors file. */
  readonly tensors?: readonly RandomTensor[];
}

const dtypes = Object.keys(dtypeBytes) as Dtype[];
/** Each of them is twice as likely as another dtype. */
const floats = ['F32', 'BF16', 'F16', 'F64'] as const satisfies readonly Dtype[];
/**
 * Words with special meaning as binary32, and their upper half as bfloat16: NaN with payloads, infinities, zeros,
 * subnormals, extremes.
 */
const specialWords = [
  0x7fc00001, 0xffa5a5a5, 0x7f800001, 0x7f800000, 0xff800000, 0x80000000, 0, 1, 0x807fffff, 0x7f7fffff, 0x00800000,
];

/**
 * Any possible file: safetensors of any dtypes, complete or truncated; files with only the name of one; text, noise,
 * nothing.
 */
export function randomFile(random: Random, index: number): RandomFile {
  const kind = below(random, 10);
  if (kind < 6)
    return tensorFile(
      `model-${index}.safetensors`,
      Array.from({ length: below(random, 6) }, (_, i) => randomTensor(random, `${index}.${i}`)),
    );
  const whole = tensorFile('', [randomTensor(random, '0')]).bytes;
  const other = (path: string, bytes: Uint8Array): RandomFile => ({ path, role: 'other', bytes });
  if (kind === 6) return other(`cut-${index}.safetensors`, whole.subarray(0, below(random, whole.length)));
  if (kind === 7) return other(`noise-${index}.safetensors`, noise(random, below(random, 300)));
  if (kind === 8)
    return other(`noise-${index}.bin`, noise(random, below(random, 3) === 0 ? 0 : below(random, 200_000)));
  return other(
    `config-${index}.json`,
    Buffer.from(JSON.stringify({ step: below(random, 1e6), text: 'a'.repeat(below(random, 3000)) })),
  );
}

/** Some incompressible bytes, or none. */
export function smallFile(random: Random, index: number): RandomFile {
  return { path: `parts/${index}.bin`, role: 'other', bytes: noise(random, below(random, 1000)) };
}

/**
 * The files of the next checkpoint. Each changes by itself, and sometimes tensors get other names, another order, or
 * other files.
 */
export function nextFiles(random: Random, files: readonly RandomFile[]): RandomFile[] {
  const next = files.map((file, i) => nextFile(random, file, i));
  return below(random, 3) === 0 ? rearranged(random, next) : next;
}

function rearranged(random: Random, files: readonly RandomFile[]): RandomFile[] {
  const held = files.map(({ tensors }) => tensors && ([] as RandomTensor[]));
  const holders = held.filter((tensors) => tensors !== undefined);
  const all = files.flatMap(({ tensors = [] }, i) => tensors.map((tensor) => ({ tensor, home: held[i] })));
  for (const { tensor, home } of shuffled(random, all)) {
    const holder = below(random, 2) === 0 ? home! : holders[below(random, holders.length)]!;
    // No two files of a model may hold a tensor of one name, now or later, so a moved tensor gets a new name.
    const keepsName = holder === home && below(random, 2) === 0;
    holder.push(keepsName ? tensor : { ...tensor, name: `moved.${below(random, 1e12)}` });
  }
  return files.map((file, i) => (held[i] === undefined ? file : tensorFile(file.path, held[i])));
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function nextFile(random: Random, file: RandomFile, index: number): RandomFile {
  const kind = below(random, 10);
  if (kind === 0) return randomFile(random, index);
  if (kind === 1) return file;
  if (file.tensors === undefined) return { ...file, bytes: changedBytes(random, file.bytes) };
  const kept = kind === 2 ? file.tensors.slice(1) : file.tensors;
  const added = kind === 3 ? [randomTensor(random, `${index}.added`)] : [];
  const names = new Set(kept.map(({ name }) => name));
  return tensorFile(file.path, [
    ...kept.map((tensor) => nextTensor(random, tensor)),
    ...added.filter(({ name }) => !names.has(name)),
  ]);
}

function tensorFile(path: string, tensors: readonly RandomTensor[]): RandomFile {
  const header = buildSafetensorsHeader(tensors, { format: 'pt' });
  const bytes = Buffer.concat([header.headerBytes, ...tensors.map(({ data }) => data)]);
  return { path, role: 'model', bytes, tensors };
}

function randomTensor(random: Random, name: string): RandomTensor {
  const dtype = below(random, 2) === 0 ? floats[below(random, floats.length)]! : dtypes[below(random, dtypes.length)]!;
  const drawn = randomShape(random);
  // Packed numbers must fill whole bytes.
  const shape = Number.isInteger(tensorBytes(dtype, drawn)) ? drawn : [...drawn, 4];
  const data = new Uint8Array(tensorBytes(dtype, shape));
  fill(random, dtype, data);
  return { name: `layer.${name}`, dtype, shape, data };
}

function randomShape(random: Random): readonly number[] {
  const kind = below(random, 12);
  if (kind === 0) return [];
  if (kind === 1) return [0, 3];
  if (kind < 9) return [1 + below(random, 40), 1 + below(random, 30)];
  return kind < 11 ? [2500 + below(random, 6000)] : [130_000 + below(random, 6000)];
}

function fill(random: Random, dtype: Dtype, data: Uint8Array): void {
  const kind = below(random, 8);
  if (kind === 0) return;
  if (kind === 1) return void data.set(noise(random, data.length));
  if (kind === 2) return void data.fill(below(random, 256));
  const size = dtypeBytes[dtype];
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const scale = 10 ** (below(random, 8) - 5);
  for (let at = 0; at < data.length; at += size) {
    const special = kind === 3 && below(random, 20) === 0;
    const word = special ? specialWords[below(random, specialWords.length)]! : wordOf(scale * normal(random));
    if (size === 8) view.setFloat64(at, special ? Number.NaN : scale * normal(random), true);
    else if (size === 4) view.setUint32(at, word, true);
    else if (size === 2) view.setUint16(at, word >>> 16, true);
    else view.setUint8(at, word >>> 24);
  }
}

function nextTensor(random: Random, tensor: RandomTensor): RandomTensor {
  const kind = below(random, 5);
  if (kind === 0 || tensor.data.length === 0) return tensor;
  const data = tensor.data.slice();
  if (kind === 1) {
    fill(random, tensor.dtype, data);
    return { ...tensor, data };
  }
  const size = dtypeBytes[tensor.dtype];
  const share = kind === 2 ? 0.01 : kind === 3 ? 0.2 : 1;
  // Add a little to the lowest byte of a word, without carry, like an update.
  for (let at = 0; at < data.length; at += size) if (random() < share) data[at]! += 1 + below(random, 6);
  return { ...tensor, data };
}

function changedBytes(random: Random, bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes).subarray(
    0,
    below(random, 4) === 0 ? below(random, bytes.length + 1) : bytes.length,
  );
  for (let edits = below(random, 4); edits > 0 && changed.length > 0; edits -= 1)
    changed[below(random, changed.length)]! ^= 1 << below(random, 8);
  return changed;
}

function noise(random: Random, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => below(random, 256));
}

function wordOf(value: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return view.getUint32(0);
}

export function below(random: Random, count: number): number {
  return Math.floor(random() * count);
}
