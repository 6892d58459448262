import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { safetensors } from '../../compress/harness/tiny-model.test-support.ts';
import { readSeries } from './read-series.ts';
import { requireFiles } from './require-files.ts';
import { seriesEvalSpec } from './series-eval-spec.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'firn-series-'));
});
afterEach(() => rm(directory, { recursive: true }));

const info = {
  name: 's',
  metric: 'loss',
  metric_higher_is_better: false,
  onnx: 'model.onnx',
  onnx_input: 'x',
  onnx_output: 'y',
  eval: 'eval.safetensors',
  seed: 3,
  checkpoints: [
    { index: 0, step: 10, file: 'ckpt_00.safetensors', loss: 2, accuracy: 0.5 },
    { index: 1, step: 20, file: 'ckpt_01.safetensors', loss: 1, accuracy: 0.6, extra: 'x' },
  ],
};

async function seriesOf(changes: object) {
  await writeFile(join(directory, 'series.json'), JSON.stringify({ ...info, ...changes }));
  return readSeries(directory);
}

describe('readSeries', () => {
  test('paths are in the directory, and sensitivity files are found by their name', async () => {
    await writeFile(join(directory, 'ckpt_01.grad.safetensors'), '');
    const series = await seriesOf({});
    expect(series).toMatchObject({
      name: 's',
      metric: 'loss',
      graphInput: 'x',
      graphOutput: 'y',
      graphPath: join(directory, 'model.onnx'),
      batchesPath: join(directory, 'eval.safetensors'),
    });
    expect(series.checkpoints).toEqual([
      {
        index: 0,
        step: 10,
        modelFiles: [{ path: 'model.safetensors', from: join(directory, 'ckpt_00.safetensors') }],
        recorded: { loss: 2, accuracy: 0.5 },
      },
      {
        index: 1,
        step: 20,
        modelFiles: [{ path: 'model.safetensors', from: join(directory, 'ckpt_01.safetensors') }],
        sensitivityPath: join(directory, 'ckpt_01.grad.safetensors'),
        recorded: { loss: 1, accuracy: 0.6 },
      },
    ]);
    expect(series.ignoreLabel).toBeUndefined();
  });

  test('a file without an ending, or in a directory with a dot, is not its own sensitivity', async () => {
    await mkdir(join(directory, 'v1.0'));
    for (const file of ['plain', 'v1.0/plain', 'v1.0/plain.grad']) await writeFile(join(directory, file), '');
    const { checkpoints } = await seriesOf({
      checkpoints: [
        { index: 0, step: 0, file: 'plain' },
        { index: 1, step: 1, file: 'v1.0/plain' },
      ],
    });
    expect(checkpoints.map(({ sensitivityPath }) => sensitivityPath)).toEqual([
      undefined,
      join(directory, 'v1.0', 'plain.grad'),
    ]);
  });

  test('a file may be an index of shards beside it; the sensitivity is named after it', async () => {
    const index = 'ckpt_00.safetensors.index.json';
    const checkpoints = [{ index: 0, step: 0, file: index }];
    const write = (weightMap: unknown) =>
      writeFile(join(directory, index), JSON.stringify({ metadata: {}, weight_map: weightMap }));
    await write({ b: 'ckpt_00-2-of-2.safetensors', a: 'ckpt_00-1-of-2.safetensors', c: 'ckpt_00-2-of-2.safetensors' });
    await writeFile(join(directory, 'ckpt_00.grad.safetensors'), '');
    const [checkpoint] = (await seriesOf({ checkpoints })).checkpoints;
    expect(checkpoint!.modelFiles).toEqual([
      { path: 'model-00001-of-00002.safetensors', from: join(directory, 'ckpt_00-1-of-2.safetensors') },
      { path: 'model-00002-of-00002.safetensors', from: join(directory, 'ckpt_00-2-of-2.safetensors') },
    ]);
    expect(checkpoint!.sensitivityPath).toBe(join(directory, 'ckpt_00.grad.safetensors'));
    for (const elsewhere of ['../x.safetensors', '/etc/passwd', '..', '.', '']) {
      await write({ a: elsewhere });
      await expect(seriesOf({ checkpoints })).rejects.toThrow('which is not a file beside it');
    }
    for (const wrong of [{}, { a: 1 }, undefined]) {
      await write(wrong);
      await expect(seriesOf({ checkpoints })).rejects.toThrow(
        /index\.json (?:names no shards|is not an index of shards)/,
      );
    }
    await rm(join(directory, index));
    expect(() => requireFiles(readSeries(directory))).toThrow(/names .*model\.onnx/);
  });

  test('metrics are those listed, else those every checkpoint records; the bounding one comes first', async () => {
    expect((await seriesOf({})).metrics).toEqual(['loss', 'accuracy']);
    expect((await seriesOf({ metric: 'accuracy', metric_higher_is_better: true })).metrics).toEqual([
      'accuracy',
      'loss',
    ]);
    expect((await seriesOf({ metrics: { accuracy: true, loss: false, mse: false } })).metrics).toEqual([
      'loss',
      'accuracy',
      'mse',
    ]);
    expect(
      (await seriesOf({ checkpoints: [{ ...info.checkpoints[0], mse: 1 }, info.checkpoints[1]] })).metrics,
    ).toEqual(['loss', 'accuracy']);
  });

  test('a loss that diverged, NaN as Python writes it, is a metric without a recorded value there', async () => {
    const text = JSON.stringify({ ...info, name: 'NaN "or" Infinity' })
      .replace('"loss":1', '"loss":NaN')
      .replace('"accuracy":0.5', '"accuracy":-Infinity');
    await writeFile(join(directory, 'series.json'), text);
    const series = readSeries(directory);
    expect(series.name).toBe('NaN "or" Infinity');
    expect(series.metrics).toEqual(['loss', 'accuracy']);
    expect(series.checkpoints.map(({ recorded }) => recorded)).toEqual([{ loss: 2 }, { accuracy: 0.6 }]);
  });

  test('a file that is named but not there is refused by its name', async () => {
    const series = await seriesOf({});
    for (const file of ['model.onnx', 'eval.safetensors', 'ckpt_00.safetensors'])
      await writeFile(join(directory, file), '');
    expect(() => requireFiles(series)).toThrow(
      `the series names ${join(directory, 'ckpt_01.safetensors')}, which does not exist`,
    );
    await writeFile(join(directory, 'ckpt_01.safetensors'), '');
    expect(() => requireFiles(series)).not.toThrow();
  });

  test('what is no series is refused in one sentence', async () => {
    expect(() => readSeries(directory)).toThrow('has no series.json');
    await writeFile(join(directory, 'series.json'), '{');
    expect(() => readSeries(directory)).toThrow(/series\.json is not JSON$/);
    await expect(seriesOf({ checkpoints: [], onnx: 7 })).rejects.toThrow(
      /^.*series\.json is not a series: .*onnx: .*; checkpoints: [^\n]*$/,
    );
    await truncate(join(directory, 'series.json'), 5 * 1024 * 1024);
    expect(() => readSeries(directory)).toThrow('larger than');
  });
});

describe('seriesEvalSpec', () => {
  const batches = (labels: { dtype: 'I64' | 'F32'; data: ArrayBufferView }) =>
    writeFile(
      join(directory, 'eval.safetensors'),
      safetensors({
        inputs: { dtype: 'F32', shape: [2], data: new Float32Array(2) },
        labels: { shape: [2], ...labels },
      }),
    );

  test('loss is cross-entropy of class labels and mean squared error of real-valued ones', async () => {
    await batches({ dtype: 'I64', data: new BigInt64Array(2) });
    expect(seriesEvalSpec(await seriesOf({ ignore_label: -100 }))).toEqual({
      inputs: { x: 'inputs' },
      ignoreLabel: -100,
      metrics: [
        { name: 'loss', kind: 'cross-entropy', output: 'y', labels: 'labels' },
        { name: 'accuracy', kind: 'accuracy', output: 'y', labels: 'labels' },
      ],
    });
    await batches({ dtype: 'F32', data: new Float32Array(2) });
    expect(seriesEvalSpec(await seriesOf({})).metrics[0]).toMatchObject({ name: 'loss', kind: 'mse' });
  });

  test('a metric of the other direction than the series says is refused', async () => {
    await batches({ dtype: 'I64', data: new BigInt64Array(2) });
    const upsideDown = await seriesOf({ metric_higher_is_better: true });
    expect(() => seriesEvalSpec(upsideDown)).toThrow('more loss is better, which it is not');
    const listed = await seriesOf({ metrics: { loss: false, accuracy: false } });
    expect(() => seriesEvalSpec(listed)).toThrow('less accuracy is better, which it is not');
  });

  test('a metric of no known meaning, and batches without labels, are refused', async () => {
    await batches({ dtype: 'I64', data: new BigInt64Array(2) });
    const odd = await seriesOf({ metrics: { beauty: true } });
    expect(() => seriesEvalSpec(odd)).toThrow('beauty');
    await writeFile(
      join(directory, 'eval.safetensors'),
      safetensors({ inputs: { dtype: 'F32', shape: [2], data: new Float32Array(2) } }),
    );
    expect(() => seriesEvalSpec(odd)).toThrow('labels');
  });
});
