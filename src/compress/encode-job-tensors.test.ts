import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { QuantizationConfig } from '../checkpoint/options/quantization-config.ts';
import {
  floatsOf,
  modelOf,
  openCompressHarness,
  sixteenBins,
  tensorBytes,
  withGradients,
  type CompressHarness,
  type Upload,
} from './harness/compress-harness.test-support.ts';
import {
  f32,
  i64,
  noise,
  quantizedNames,
  safetensors,
  tinyGradients,
  tinyWeights,
} from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

describe('weights that cannot be quantized', () => {
  test('a checkpoint for which no config passes is exact, and the next one builds on the last lossy one', async () => {
    const run = await harness.newRun();
    // The counter is exact in every checkpoint, so even the exact one has a block in common with the others.
    const withCounter = (step: number) => modelOf({ ...tinyWeights(step), count: i64([1], [step]) });
    const failing = harness.context({
      evaluator: {
        ...harness.evaluator,
        evaluateParts: firstThen(harness.evaluator.evaluateParts, { whole: { loss: Number.NaN, accuracy: 0 } }),
      },
    });
    const lossy = await harness.push(run, 0, withCounter(0));
    const exact = await harness.push(run, 1, withCounter(1), { ctx: failing });
    const { trialCount } = exact.result!;
    expect(trialCount).toBeGreaterThan(0);
    expect(exact.result).toMatchObject({
      fidelity: 'exact',
      warnings: [
        `None of the ${trialCount} configs tried stayed inside the quality threshold, so the checkpoint ` +
          'is stored exact.',
      ],
    });
    expect(exact.result!.config).toBeUndefined();
    expect(exact.result!.measured).toEqual(exact.result!.baseline);
    expect(await harness.download(exact, 'model.safetensors')).toEqual(withCounter(1)['model.safetensors']!.bytes);
    expect(await harness.rawPaths(exact)).toEqual([]);
    const next = await harness.push(run, 2, withCounter(2));
    expect(next.result).toMatchObject({ fidelity: 'lossy', kind: 'delta', ancestorStep: 0, chainLength: 2 });
    expect(lossy.result!.kind).toBe('base');
  });

  test('NaN weights that the metric depends on: exact, and the reason names the metric', async () => {
    const weights = tinyWeights(0);
    (weights['fc.weight']!.data as Float32Array)[3] = Number.NaN;
    const checkpoint = await harness.push(await harness.newRun(), 0, modelOf(weights));
    expect(checkpoint.result).toMatchObject({ fidelity: 'exact', trialCount: 0 });
    expect(checkpoint.result!.warnings).toEqual([
      'Tensors with NaN or infinite weights are kept exact: fc.weight.',
      'The uploaded weights give no finite loss, so the checkpoint is stored exact.',
    ]);
    expect(await harness.download(checkpoint, 'model.safetensors')).toEqual(safetensors(weights));
  });

  test('only the tensors with NaN or infinite weights are exact, bit for bit', async () => {
    const weights = tinyWeights(0);
    new Uint32Array((weights['fc.weight']!.data as Float32Array).buffer)[7] = 0xffc12345;
    (weights['embed.weight']!.data as Float32Array)[0] = -Infinity;
    const checkpoint = await harness.push(await harness.newFixedRun(sixteenBins), 0, modelOf(weights));
    expect(checkpoint.result).toMatchObject({
      fidelity: 'lossy',
      warnings: ['Tensors with NaN or infinite weights are kept exact: embed.weight, fc.weight.'],
    });
    const [file, uploaded] = [await harness.download(checkpoint, 'model.safetensors'), safetensors(weights)];
    for (const name of ['fc.weight', 'embed.weight', 'fc.bias'])
      expect(tensorBytes(file, name)).toEqual(tensorBytes(uploaded, name));
    expect(new Set(floatsOf(file, 'head.weight')).size).toBeLessThan(40);
  });

  test('a model of small tensors only is exact, and says so', async () => {
    const checkpoint = await harness.push(
      await harness.newFixedRun(sixteenBins),
      0,
      modelOf({ 'fc.weight': f32([4, 4], noise(16, 1)) }),
    );
    expect(checkpoint.result).toMatchObject({
      fidelity: 'exact',
      warnings: ['No tensor of the model is one to quantize, so the checkpoint is stored exact.'],
    });
  });

  test('a shard index that contradicts the files is stored, with a warning', async () => {
    const bytes = Buffer.from(JSON.stringify({ weight_map: { 'fc.weight': 'model-2.safetensors' } }));
    const files = { ...modelOf(tinyWeights(0)), 'model.safetensors.index.json': { bytes, role: 'other' } } as const;
    for (const run of [await harness.newFixedRun(sixteenBins), await harness.newRun({ fidelity: 'exact' })]) {
      const checkpoint = await harness.push(run, 0, files);
      expect(checkpoint.result!.warnings).toEqual([
        'The shard index "model.safetensors.index.json" names shards that the checkpoint lacks: ' +
          '"model-2.safetensors" (of "fc.weight").',
      ]);
      expect(await harness.download(checkpoint, 'model.safetensors.index.json')).toEqual(bytes);
    }
  });

  test('all-zero weights come back as zeros', async () => {
    const weights = { ...tinyWeights(0), 'head.weight': f32([32, 16], new Float32Array(512)) };
    const checkpoint = await harness.push(
      await harness.newFixedRun(
        { ...sixteenBins, protectFraction: 0.05 },
        { layerTypes: { 'head.weight': 'convolution' } },
      ),
      0,
      modelOf(weights),
    );
    const file = await harness.download(checkpoint, 'model.safetensors');
    expect(floatsOf(file, 'head.weight').every((x) => x === 0)).toBe(true);
  });
});

describe('sensitivity', () => {
  const bySensitivity = { ...sixteenBins, pruneMetric: 'sensitivity', pruneFraction: 0.3 } as const;

  test('all zero is treated as absent, with a warning, and gives the same bytes as none', async () => {
    const zeros = Object.fromEntries(
      Object.entries(tinyGradients(0)).map(([name, { shape, data }]) => [
        name,
        f32(shape, new Float32Array(data.byteLength / 4)),
      ]),
    );
    const [zero, none] = [
      await harness.push(await harness.newFixedRun(sixteenBins), 0, withGradients(tinyWeights(0), zeros)),
      await harness.push(await harness.newFixedRun(sixteenBins), 0, modelOf(tinyWeights(0))),
    ];
    expect(zero.result!.warnings).toEqual(['The sensitivity file is all zero and was treated as absent.']);
    expect(none.result!.warnings).toEqual([]);
    expect(await harness.download(zero, 'model.safetensors')).toEqual(
      await harness.download(none, 'model.safetensors'),
    );
  });

  test.each([
    ['has no finite value', (data: Float32Array) => data.fill(Number.NaN), quantizedNames],
    ['has no finite value', (data: Float32Array) => data.fill(Number.NaN).fill(Infinity, 0, 9), quantizedNames],
    [
      'has nothing but zeros and values that are not finite',
      (data: Float32Array) => data.fill(Number.NaN, 5),
      quantizedNames,
    ],
    ['covers no tensor that is quantized', (data: Float32Array) => data.fill(1), ['fc.bias']],
  ])('that %s is treated as absent, and the warning says that it is so', async (what, fill, names) => {
    const all = tinyWeights(0);
    const gradients = Object.fromEntries(
      names.map((name) => [name, f32(all[name]!.shape, fill(new Float32Array(all[name]!.data.byteLength / 4)))]),
    );
    const checkpoint = await harness.push(await harness.newFixedRun(sixteenBins), 0, withGradients(all, gradients));
    expect(checkpoint.result!.warnings).toEqual([`The sensitivity file ${what} and was treated as absent.`]);
    const none = await harness.push(await harness.newFixedRun(sixteenBins), 0, modelOf(all));
    expect(await harness.download(checkpoint, 'model.safetensors')).toEqual(
      await harness.download(none, 'model.safetensors'),
    );
  });

  test('a given config that prunes by sensitivity without any gradients prunes by magnitude, and says so', async () => {
    const zeros = Object.fromEntries(
      quantizedNames.map((name) => [name, f32(tinyGradients(0)[name]!.shape, new Float32Array(512))]),
    );
    const push = async (config: QuantizationConfig, files: Upload) =>
      harness.push(await harness.newFixedRun(config), 0, files);
    const missing =
      'The given config prunes by sensitivity, but there are no gradients of the quantized tensors, so ' +
      'they were pruned by magnitude.';
    const none = await push(bySensitivity, modelOf(tinyWeights(0)));
    expect(none.result!.warnings).toEqual([missing]);
    const zero = await push(bySensitivity, withGradients(tinyWeights(0), zeros));
    expect(zero.result!.warnings).toEqual(['The sensitivity file is all zero and was treated as absent.', missing]);
    const magnitude = await push({ ...bySensitivity, pruneMetric: 'magnitude' }, modelOf(tinyWeights(0)));
    expect(await harness.download(none, 'model.safetensors')).toEqual(
      await harness.download(magnitude, 'model.safetensors'),
    );
    const given = await harness.push(await harness.newRun(), 0, modelOf(tinyWeights(0)), {
      fixedConfig: bySensitivity,
    });
    expect(given.result!.warnings).toEqual([missing]);
    for (const quiet of [
      await push(bySensitivity, withGradients(tinyWeights(0), tinyGradients(0))),
      await push({ ...bySensitivity, pruneFraction: 0 }, modelOf(tinyWeights(0))),
      await harness.push(await harness.newRun(), 0, modelOf(tinyWeights(0))),
    ])
      expect(quiet.result!.warnings).toEqual([]);
  });

  test('a file that leaves tensors out prunes none of their weights, and a share of the others', async () => {
    const { 'head.weight': _, ...some } = tinyGradients(0);
    // fc and head share a block: both linear.
    const checkpoint = await harness.push(
      await harness.newFixedRun(bySensitivity),
      0,
      withGradients(tinyWeights(0), some),
    );
    const file = await harness.download(checkpoint, 'model.safetensors');
    const zeros = (name: string): number => floatsOf(file, name).filter((x) => x === 0).length;
    expect(zeros('head.weight')).toBe(0);
    expect(zeros('fc.weight')).toBeGreaterThan(0.25 * 512);
    expect(zeros('fc.weight')).toBeLessThanOrEqual(0.3 * 512);
  });

  test('a file without one tensor that is quantized changes nothing', async () => {
    const only = { 'fc.bias': f32([32], noise(32, 1)) };
    const checkpoint = await harness.push(
      await harness.newFixedRun(bySensitivity),
      0,
      withGradients(tinyWeights(0), only),
    );
    expect(checkpoint).toMatchObject({ state: 'ready', result: { fidelity: 'lossy' } });
  });
});

describe('tensors that the eval graph does not use', () => {
  test('a copy of a measured tensor is pruned and protected like it', async () => {
    const more = { ...tinyWeights(0), 'tied.weight': tinyWeights(0)['fc.weight']! };
    const fixedConfig = {
      ...sixteenBins,
      pruneMetric: 'sensitivity',
      pruneFraction: 0.3,
      protectFraction: 0.05,
    } as const;
    const checkpoint = await harness.push(await harness.newRun(), 0, withGradients(more, tinyGradients(0)), {
      fixedConfig,
    });
    expect(checkpoint.result!.fidelity).toBe('lossy');
    const file = await harness.download(checkpoint, 'model.safetensors');
    expect(floatsOf(file, 'fc.weight').filter((x) => x === 0).length).toBeGreaterThan(0);
    expect(tensorBytes(file, 'tied.weight')).toEqual(tensorBytes(file, 'fc.weight'));
  });

  test('are exact, with a warning that names them; a copy of a measured tensor is quantized like it', async () => {
    const weights = tinyWeights(0);
    const more = { ...weights, 'extra.weight': f32([32, 32], noise(1024, 9)), 'tied.weight': weights['embed.weight']! };
    const checkpoint = await harness.push(await harness.newRun(), 0, modelOf(more));
    expect(checkpoint.result!.fidelity).toBe('lossy');
    expect(checkpoint.result!.warnings).toContain(
      'Tensors that the eval graph does not use are kept exact: extra.weight.',
    );
    const [file, uploaded] = [await harness.download(checkpoint, 'model.safetensors'), safetensors(more)];
    expect(tensorBytes(file, 'extra.weight')).toEqual(tensorBytes(uploaded, 'extra.weight'));
    expect(tensorBytes(file, 'embed.weight')).not.toEqual(tensorBytes(uploaded, 'embed.weight'));
    expect(tensorBytes(file, 'tied.weight')).toEqual(tensorBytes(file, 'embed.weight'));
  });
});

describe('layer types given at upload', () => {
  const odd = {
    ...tinyWeights(0),
    ids: i64(
      [32, 32],
      Array.from({ length: 1024 }, (_, i) => i),
    ),
    'extra.weight': f32([32, 32], noise(1024, 9)),
  };
  const strangers = 'Layer types are given for tensors that the model does not have: "fc.wieght".';
  const inSpite =
    'Tensors are kept exact in spite of the layer type given for them (not fp32, fp16 or bf16, not a ' +
    'matrix, too small, not finite, or not used by the eval graph)';

  test('cause a warning if they name no tensor or change nothing', async () => {
    const layerTypes = {
      'fc.wieght': 'linear',
      'fc.bias': 'linear',
      ids: 'embedding',
      'extra.weight': 'linear',
      'head.weight': 'convolution',
    } as const;
    const measured = await harness.push(await harness.newRun({ layerTypes }), 0, modelOf(odd));
    expect(measured.result!.warnings).toEqual(
      expect.arrayContaining([
        'Tensors that the eval graph does not use are kept exact: extra.weight.',
        strangers,
        `${inSpite}: "fc.bias", "ids", "extra.weight".`,
      ]),
    );
    const given = await harness.push(await harness.newFixedRun(sixteenBins, { layerTypes }), 0, modelOf(odd));
    expect(given.result!.warnings).toEqual([strangers, `${inSpite}: "fc.bias", "ids".`]);
    const exact = await harness.push(
      await harness.newRun({ layerTypes, fidelity: 'exact', thresholds: {} }),
      0,
      modelOf(odd),
    );
    expect(exact.result!.warnings).toEqual([strangers]);
  });

  test('cause no warning if they take effect', async () => {
    const layerTypes = { 'head.weight': 'convolution', 'fc.weight': 'norm', 'fc.bias': 'bias', ids: 'buffer' } as const;
    const checkpoint = await harness.push(await harness.newFixedRun(sixteenBins, { layerTypes }), 0, modelOf(odd));
    expect(checkpoint.result!.warnings).toEqual([]);
  });
});

/** Answers the first call, then always the same. */
function firstThen<A extends unknown[], T>(first: (...args: A) => Promise<T>, then: T): (...args: A) => Promise<T> {
  let calls = 0;
  return (...args) => (calls++ === 0 ? first(...args) : Promise.resolve(then));
}
