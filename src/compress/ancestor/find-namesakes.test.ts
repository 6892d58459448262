import { expect, test, vi } from 'vitest';
import { buildSafetensorsHeader } from '../../checkpoint/safetensors/safetensors-header.ts';
import { blockElementsMax } from '../../native/core.ts';
import { TensorNames } from '../../package/blocks/gather-blocks.ts';
import type { PackageFile, PackageIndex } from '../../package/package-index.ts';
import { sourceFile } from '../harness/memory-source.test-support.ts';
import { f32, noise, safetensors, type TestTensor, type TestTensors } from '../harness/tiny-model.test-support.ts';
import type { SourceFile } from '../upload/model-source.ts';
import { findNamesakes, type StoredModel } from './find-namesakes.ts';

/** A stored model of one file of these tensors. */
function storedModel(tensors: TestTensors, path = 'model.safetensors'): StoredModel {
  const layout = buildSafetensorsHeader(
    Object.entries(tensors).map(([name, { dtype, shape }]) => ({ name, dtype, shape })),
  );
  const file: PackageFile = {
    ...{ path, sizeBytes: layout.sizeBytes, sha256: '' },
    content: { type: 'safetensors', layout, codings: [], blocks: [] },
  };
  const names = new TensorNames([file]);
  return {
    index: { files: [file] } as unknown as PackageIndex,
    tensorOf: (at, name) => names.find(at, name),
    headOf: async ({ tensor }) => {
      const { data } = Object.values(tensors)[tensor]!;
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      return bytes.subarray(0, 4 * blockElementsMax);
    },
  };
}

const fileOf = (tensors: TestTensors, role: SourceFile['role'] = 'model'): SourceFile =>
  sourceFile('model.safetensors', safetensors(tensors), role);

/** The names of the namesakes by those of the tensors. */
async function found(tensors: TestTensors, ancestor: TestTensors, role?: SourceFile['role']) {
  const [listed] = await findNamesakes([fileOf(tensors, role)], storedModel(ancestor));
  const [here, there] = [Object.keys(tensors), Object.keys(ancestor)];
  return Object.fromEntries([...listed!].map(([tensor, place]) => [here[tensor], there[place.tensor]]));
}

const matrix = (seed: number, rows = 40): TestTensor => f32([rows, 64], noise(rows * 64, seed));
const moved = ({ shape, data }: TestTensor): TestTensor =>
  f32(
    shape,
    (data as Float32Array).map((x, i) => x * (1 + 0.01 * Math.sin(i))),
  );
const ones = f32([64], new Array<number>(64).fill(1));

/** Layers of one shape, with norms that are all alike. */
function layers(
  count: number,
  nameOf: (layer: number, part: string) => string,
  of = (t: TestTensor) => t,
): TestTensors {
  return Object.fromEntries(
    Array.from({ length: count }, (_, layer) => [
      [nameOf(layer, 'up'), of(matrix(10 * layer))] as const,
      [nameOf(layer, 'down'), of(matrix(10 * layer + 1))] as const,
      [nameOf(layer, 'norm'), ones] as const,
    ]).flat(),
  );
}

test('tensors with a word more before their names', async () => {
  const before = layers(12, (layer, part) => `layers.${layer}.${part}.weight`);
  const now = layers(12, (layer, part) => `model.layers.${layer}.${part}.weight`, moved);
  const names = Object.keys(before);
  expect(await found(now, before)).toEqual(Object.fromEntries(names.map((name) => [`model.${name}`, name])));
});

test('tensors with other words around the same numbers', async () => {
  const nameThere: Readonly<Record<string, string>> = { up: 'c_fc', down: 'c_proj', norm: 'ln_1' };
  const before = layers(12, (layer, part) => `transformer.h.${layer}.mlp.${nameThere[part]!}.weight`);
  const now = layers(12, (layer, part) => `model.blocks.${layer}.${part}.kernel`, moved);
  const [here, there] = [Object.keys(now), Object.keys(before)];
  expect(await found(now, before)).toEqual(Object.fromEntries(here.map((name, i) => [name, there[i]])));
});

test('values tell tensors whose names were exchanged at the same time', async () => {
  const before = { 'a.weight': matrix(1), 'b.weight': matrix(2) };
  const now = { 'model.a.weight': moved(matrix(2)), 'model.b.weight': moved(matrix(1)) };
  expect(await found(now, before)).toEqual({ 'model.a.weight': 'b.weight', 'model.b.weight': 'a.weight' });
});

test('a matrix with more rows, and one with fewer', async () => {
  const before = { 'embed.weight': matrix(1, 40), 'head.weight': matrix(2, 40) };
  const now = { 'lm.embed.weight': moved(matrix(1, 43)), 'lm.head.weight': moved(matrix(2, 37)) };
  expect(await found(now, before)).toEqual({ 'lm.embed.weight': 'embed.weight', 'lm.head.weight': 'head.weight' });
});

test('a tensor that is there under its own name is not looked for, with whatever values', async () => {
  const ancestor = storedModel({ 'a.weight': matrix(1), 'b.weight': matrix(2) });
  const headOf = vi.spyOn(ancestor, 'headOf');
  const now = fileOf({ 'a.weight': matrix(2), 'b.weight': matrix(1, 43) });
  expect(await findNamesakes([now], ancestor)).toEqual([new Map()]);
  expect(headOf).not.toHaveBeenCalled();
});

test('nothing, where only shapes are alike', async () => {
  expect(
    await found(
      layers(3, (l, part) => `x.${l}.${part}`),
      { up: matrix(91), down: matrix(92) },
    ),
  ).toEqual({});
  expect(await found({ a: matrix(1) }, { b: f32([40, 65], noise(40 * 65, 1)) })).toEqual({});
  expect(await found({ a: matrix(1) }, {})).toEqual({});
});

test('a new small tensor among renamed ones takes the likeliest, for the sake of the block they share', async () => {
  const before = { 'a.weight': matrix(1), 'a.bias': f32([64], noise(64, 5)) };
  const now = {
    'm.a.weight': moved(matrix(1)),
    'm.a.bias': f32([64], noise(64, 6)),
    'm.b.bias': f32([63], noise(63, 7)),
  };
  expect(await found(now, before)).toEqual({ 'm.a.weight': 'a.weight', 'm.a.bias': 'a.bias' });
});

test('a new tensor that fills blocks takes none', async () => {
  const rows = 2 * (blockElementsMax / 64);
  const before = { 'a.weight': matrix(1, rows), 'b.weight': matrix(2, rows) };
  const now = { 'm.a.weight': moved(matrix(1, rows)), 'm.b.weight': moved(matrix(3, rows)) };
  expect(await found(now, before)).toEqual({ 'm.a.weight': 'a.weight' });
});

test('other files than the model are left out, and so is one that the ancestor has as it was uploaded', async () => {
  const [before, now] = [{ a: matrix(1) }, { 'm.a': matrix(1) }];
  expect(await found(now, before, 'optimizer')).toEqual({});
  const ancestor = storedModel(before, 'other.safetensors');
  const external = { path: 'model.safetensors', sizeBytes: 1, sha256: '', content: { type: 'external' } } as const;
  const index = { ...ancestor.index, files: [...ancestor.index.files, external] };
  expect(await findNamesakes([fileOf(now)], { ...ancestor, index })).toEqual([new Map()]);
  expect(await findNamesakes([fileOf(now)], ancestor)).toEqual([new Map([[0, { file: 0, tensor: 0 }]])]);
});
