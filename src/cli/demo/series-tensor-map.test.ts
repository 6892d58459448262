import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { f32, noise, safetensors, type TestTensors } from '../../compress/harness/tiny-model.test-support.ts';
import { buildModel, floats, node } from '../../graph/onnx/build-model.ts';
import { modelFiles } from './model-files.ts';
import type { Series } from './read-series.ts';
import { seriesTensorMap } from './series-tensor-map.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-series-'));
});
afterEach(() => rm(directory, { recursive: true }));

const weight = (seed: number) => noise(16 * 32, seed);

function turned(values: Float32Array, rows: number, columns: number): number[] {
  return Array.from({ length: values.length }, (_, at) => values[(at % rows) * columns + Math.floor(at / rows)]!);
}

async function seriesOf(
  initializers: Parameters<typeof buildModel>[0]['initializers'],
  checkpoints: readonly TestTensors[],
): Promise<Series> {
  const graphPath = join(directory, 'model.onnx');
  await writeFile(
    graphPath,
    buildModel({ nodes: [node('Identity', ['x'], ['y'])], initializers: initializers ?? [], outputs: [] }),
  );
  const paths = checkpoints.map((_, at) => join(directory, `ckpt_${at}.safetensors`));
  for (const [at, path] of paths.entries()) await writeFile(path, safetensors(checkpoints[at]!));
  return {
    name: 's',
    metric: 'loss',
    metrics: ['loss'],
    directions: {},
    graphPath,
    batchesPath: '',
    graphInput: 'x',
    graphOutput: 'y',
    checkpoints: paths.map((path, index) => ({ index, step: index, modelFiles: modelFiles(path), recorded: {} })),
  };
}

const checkpoint = (seed: number): TestTensors => ({
  'fc.weight': f32([16, 32], weight(seed)),
  'fc.bias': f32([16], noise(16, seed)),
});
const bias = floats('fc.bias', [16], [...noise(16, 2)]);

test.each([0, 1, 2])('a graph exported from checkpoint %i is mapped by its bytes, transposed or not', async (from) => {
  const series = await seriesOf(
    [floats('onnx::MatMul_7', [32, 16], turned(weight(from), 16, 32)), bias],
    [0, 1, 2].map(checkpoint),
  );
  expect(await seriesTensorMap(series)).toEqual({ 'onnx::MatMul_7': { tensor: 'fc.weight', transpose: true } });
});

test('weights stored once and used under two names are one tensor', async () => {
  const series = await seriesOf(
    [floats('fc.weight', [16, 32], [...weight(1)]), floats('head.weight', [16, 32], [...weight(1)])],
    [0, 1].map(checkpoint),
  );
  expect(await seriesTensorMap(series)).toEqual({ 'head.weight': { tensor: 'fc.weight', transpose: false } });
});

test('the tensors of a checkpoint may be in several shards', async () => {
  const series = await seriesOf([floats('onnx::MatMul_7', [32, 16], turned(weight(1), 16, 32)), bias], [checkpoint(0)]);
  const { 'fc.weight': matrix, 'fc.bias': vector } = checkpoint(1);
  const shards = { 'a.safetensors': { 'fc.weight': matrix! }, 'b.safetensors': { 'fc.bias': vector! } };
  for (const [name, tensors] of Object.entries(shards)) await writeFile(join(directory, name), safetensors(tensors));
  const files = Object.keys(shards).map((path) => ({ path, from: join(directory, path) }));
  const checkpoints = [{ index: 1, step: 1, modelFiles: files, recorded: {} }];
  expect(await seriesTensorMap({ ...series, checkpoints })).toEqual({
    'onnx::MatMul_7': { tensor: 'fc.weight', transpose: true },
  });
});

test('where names decide, or nothing but a constant vector is equal, there is no map', async () => {
  const named = floats('fc.weight', [16, 32], [...weight(1)]);
  expect(await seriesTensorMap(await seriesOf([named, bias], [0, 1].map(checkpoint)))).toBeUndefined();
  const untrained = { ...checkpoint(0), 'fc.bias': f32([16], new Float32Array(16)) };
  expect(
    await seriesTensorMap(
      await seriesOf([named, floats('zeros', [16], Array<number>(16).fill(0))], [untrained, checkpoint(1)]),
    ),
  ).toBeUndefined();
});

test('a graph of other weights has no map; a file that is no checkpoint is named', async () => {
  const stranger = floats('onnx::MatMul_7', [32, 16], [...noise(512, 99)]);
  expect(await seriesTensorMap(await seriesOf([stranger, bias], [0, 1].map(checkpoint)))).toBeUndefined();
  const series = await seriesOf([stranger], [checkpoint(0)]);
  await writeFile(series.checkpoints[0]!.modelFiles[0]!.from, Buffer.from([0x80, 2, ...new Uint8Array(40)]));
  await expect(seriesTensorMap(series)).rejects.toThrow(/^ckpt_0\.safetensors: .*pickle/);
});
