import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  classifierGraph,
  classifierFile,
  classifierGradients,
  classifierRows,
  classifierShapes,
  classifierSpec,
  classifierWeights,
  measure,
  weightsOf,
  type Weights,
} from './classifier.ts';
import { bf16Word, f16Word, wordBytes } from './float-words.ts';
import {
  createClassifierSet,
  createEvalSet,
  createRepository,
  createRun,
  givenConfig,
  pushFiles,
  pushOne,
  smallSearch,
} from './hub-fixtures.ts';
import { HubApi, sha256, type Json } from './hub-api.ts';
import { integersAttribute, integerAttribute, node, onnxFile, storedInitializer, value } from './onnx-file.ts';
import { classifierBatches } from './classifier.ts';
import { normal, randomNumbers } from './random-numbers.ts';
import { f32Tensor, floatsOf, headerOf, safetensorsFile, tensorsOf, type FileTensor } from './safetensors-file.ts';
import { startHub, type Hub } from './start-hub.ts';

const rows = classifierRows(classifierWeights(0));

let hub: Hub;
let api: HubApi;
let repository: string;

beforeAll(async () => {
  hub = await startHub();
  api = new HubApi(hub.url);
  repository = await createRepository(api, 'odd');
  await createClassifierSet(api, repository, rows);
});

afterAll(() => hub?.stop());

const normals = (count: number, seed: number): Float32Array => {
  const random = randomNumbers(seed);
  return Float32Array.from({ length: count }, () => normal(random));
};

/** The rebuilt model of a ready checkpoint, after checking its digest. */
async function rebuilt(checkpoint: string): Promise<{ status: Json; bytes: Buffer }> {
  const status = await api.ready(checkpoint);
  const { bytes } = await api.get(`${checkpoint}/files/model.safetensors`);
  expect(sha256(bytes)).toBe(status.files.find((file: Json) => file.path === 'model.safetensors').rebuilt.sha256);
  return { status, bytes };
}

function sameBytes(a: FileTensor | undefined, b: FileTensor | undefined): boolean {
  return a !== undefined && b !== undefined && Buffer.from(a.bytes).equals(b.bytes);
}

describe('weights that are not finite', () => {
  const drifting = (count: number, step: number) =>
    normals(count, 50).map((weight, at) => weight + 0.02 * step * Math.sin(at));
  const odd = (step: number): Buffer => {
    const withNan = drifting(2048, step);
    new Uint32Array(withNan.buffer).set([0x7fc00001, 0xffc12345, 0x7f800001], 100);
    const withInfinity = drifting(1024, step);
    withInfinity.set([Infinity, -Infinity, -0], 7);
    return safetensorsFile({
      'nan.weight': f32Tensor([32, 64], withNan),
      'inf.weight': f32Tensor([32, 32], withInfinity),
      'fine.weight': f32Tensor([64, 64], drifting(4096, step)),
    });
  };

  test('keep their tensors exact, bit by bit, while the others are quantized', async () => {
    const run = await createRun(api, repository, { name: 'nan-given', search: { fixedConfig: givenConfig } });
    for (const step of [1, 2]) {
      const { status, bytes } = await rebuilt(await pushOne(api, run, step, odd(step)));
      expect(status.result.warnings.join()).toMatch(/nan\.weight/);
      expect(status.result.warnings.join()).toMatch(/inf\.weight/);
      expect(status.result).toMatchObject({ fidelity: 'lossy', kind: step === 1 ? 'base' : 'delta' });
      const [before, after] = [tensorsOf(odd(step)), tensorsOf(bytes)];
      for (const name of ['nan.weight', 'inf.weight'])
        expect(sameBytes(after.get(name), before.get(name)), name).toBe(true);
      expect(sameBytes(after.get('fine.weight'), before.get('fine.weight'))).toBe(false);
      expect(floatsOf(after.get('fine.weight')!).every(Number.isFinite)).toBe(true);
    }
  });

  test('leave no finite metric, so the checkpoint is stored exact and says why', async () => {
    const run = await createRun(api, repository, {
      name: 'nan-measured',
      evalSet: 'held-out',
      thresholds: { loss: 0.1 },
      search: smallSearch,
    });
    const weights = classifierWeights(1);
    weights['fc2.weight'][5] = NaN;
    const model = classifierFile(weights);
    const { status, bytes } = await rebuilt(await pushOne(api, run, 1, model));
    expect(status.result).toMatchObject({ fidelity: 'exact', trialCount: 0 });
    expect(status.result.warnings.join()).toMatch(/no finite loss.*exact/);
    expect(status.result.baseline?.loss ?? null).toBeNull();
    expect(bytes.equals(model)).toBe(true);
    // The next checkpoint is valid again, and searched as usual.
    const next = await rebuilt(await pushOne(api, run, 2, classifierFile(classifierWeights(2))));
    expect(next.status.result.warnings).toEqual([]);
    expect(next.status.result.trialCount).toBeGreaterThan(0);
  });
});

describe('a sensitivity', () => {
  test('of zeros only is treated as absent, with a warning', async () => {
    const search = { fixedConfig: { ...givenConfig, pruneMetric: 'sensitivity' } };
    const models: Buffer[] = [];
    for (const [name, gradients] of [
      ['zero', classifierFile(classifierGradients(1, 0))],
      ['absent', undefined],
    ] as const) {
      const run = await createRun(api, repository, { name: `sensitivity-${name}`, search });
      const files = {
        'model.safetensors': classifierFile(classifierWeights(1)),
        ...(gradients && { 'model.grad.safetensors': gradients }),
      };
      const { status, bytes } = await rebuilt(await pushFiles(api, run, 1, files));
      if (gradients === undefined) expect(status.result.warnings.join()).not.toMatch(/all zero/);
      else expect(status.result.warnings.join()).toMatch(/sensitivity.*all zero.*absent/);
      models.push(bytes);
    }
    const pruned = models.map(
      (bytes) => floatsOf(tensorsOf(bytes).get('fc1.weight')!).filter((weight) => weight === 0).length,
    );
    expect(pruned[0]).toBe(pruned[1]);
  });

  test('decides what is pruned when the config says so', async () => {
    const run = await createRun(api, repository, {
      name: 'sensitivity-real',
      search: { fixedConfig: { ...givenConfig, pruneFraction: 0.3, pruneMetric: 'sensitivity' } },
    });
    const [weights, gradients] = [classifierWeights(1), classifierGradients(1)];
    const { bytes } = await rebuilt(
      await pushFiles(api, run, 1, {
        'model.safetensors': classifierFile(weights),
        'model.grad.safetensors': classifierFile(gradients),
      }),
    );
    const after = weightsOf(bytes);
    const score = (name: keyof Weights, at: number) => Math.abs(weights[name][at]! * gradients[name][at]!);
    const all = (['fc1.weight', 'fc2.weight'] as const).flatMap((name) =>
      Array.from(after[name], (weight, at) => ({ pruned: weight === 0, score: score(name, at) })),
    );
    const prunedMost = Math.max(...all.filter(({ pruned }) => pruned).map((each) => each.score));
    const below = all.filter((each) => each.score < prunedMost * 0.98);
    expect(all.filter(({ pruned }) => pruned).length / all.length).toBeCloseTo(0.3, 1);
    expect(below.filter(({ pruned }) => pruned).length / below.length).toBeGreaterThan(0.95);
    expect(after['embed.weight'].filter((weight) => weight === 0)).toHaveLength(0);
  });
});

describe('tensors of several dtypes', () => {
  test('are quantized and come back in their own, beside what is never quantized', async () => {
    const values = [normals(2048, 1), normals(2048, 2), normals(2048, 3)] as const;
    const words = (wordOf: (value: number) => number, from: Float32Array) => wordBytes(Array.from(from, wordOf));
    const tensors: Record<string, FileTensor> = {
      'a.weight': f32Tensor([32, 64], values[0]),
      'b.weight': { dtype: 'BF16', shape: [32, 64], bytes: words(bf16Word, values[1]) },
      'c.weight': { dtype: 'F16', shape: [32, 64], bytes: words(f16Word, values[2]) },
      'd.weight': {
        dtype: 'F64',
        shape: [16, 32],
        bytes: new Uint8Array(Float64Array.from(values[0].subarray(0, 512)).buffer),
      },
      'e.weight': { dtype: 'I8', shape: [64, 64], bytes: new Uint8Array(values[1].buffer.slice(0, 4096)) },
      'f.bias': { dtype: 'BF16', shape: [64], bytes: words(bf16Word, values[2].subarray(0, 64)) },
      'empty.weight': f32Tensor([0, 64], []),
      scale: f32Tensor([], [0.125]),
    };
    const model = safetensorsFile(tensors);
    const run = await createRun(api, repository, { name: 'dtypes', search: { fixedConfig: givenConfig } });
    for (const step of [1, 2]) {
      const { status, bytes } = await rebuilt(await pushOne(api, run, step, model));
      expect(headerOf(bytes).equals(headerOf(model))).toBe(true);
      const after = tensorsOf(bytes);
      for (const name of ['d.weight', 'e.weight', 'f.bias', 'empty.weight', 'scale'])
        expect(sameBytes(after.get(name), tensors[name]), name).toBe(true);
      const levels = { 'a.weight': 4, 'b.weight': 2, 'c.weight': 2 };
      for (const [name, size] of Object.entries(levels)) {
        const { bytes: found } = after.get(name)!;
        const different = new Set(
          Array.from({ length: found.length / size }, (_, at) =>
            Buffer.from(found.subarray(at * size, (at + 1) * size)).toString('hex'),
          ),
        ).size;
        expect(different, name).toBeLessThan(16 + 2 + 0.02 * 2048 * 3);
        expect(different, name).toBeGreaterThan(8);
        expect(sameBytes(after.get(name), tensors[name]), name).toBe(false);
      }
      expect(status.result.kind).toBe(step === 1 ? 'base' : 'delta');
    }
  });
});

describe('weights that a graph shares', () => {
  /**
   * The classifier with stored weights. `first.weight` and `second.weight` are one initializer, the way exporters write
   * tied weights.
   */
  const side = 16;
  const tied = normals(side * side, 9);
  const tiedGraph = onnxFile({
    inputs: [value('ids', ['rows', 4], 'int64')],
    outputs: [value('logits', ['rows', side])],
    initializers: [
      storedInitializer('onnx::merged_7', [side, side], new Uint8Array(tied.buffer)),
      storedInitializer('onnx::table_1', [64, side], new Uint8Array(classifierWeights(0)['embed.weight'].buffer)),
    ],
    nodes: [
      node('Gather', ['onnx::table_1', 'ids'], ['looked_up']),
      node('ReduceMean', ['looked_up'], ['mean'], [integersAttribute('axes', [1]), integerAttribute('keepdims', 0)]),
      node('MatMul', ['mean', 'onnx::merged_7'], ['once']),
      node('Relu', ['once'], ['active']),
      node('MatMul', ['active', 'onnx::merged_7'], ['logits']),
    ],
  });

  test('bit-identical tensors stay identical, and both are quantized', async () => {
    await createEvalSet(api, repository, {
      name: 'tied',
      spec: { ...classifierSpec, allowDoubted: true },
      graph: tiedGraph,
      batches: classifierBatches(rows),
    });
    const run = await createRun(api, repository, {
      name: 'tied',
      evalSet: 'tied',
      thresholds: { loss: 0.5 },
      search: smallSearch,
    });
    const shapeOfTable = classifierShapes['embed.weight'];
    const drift = (from: Float32Array, step: number) =>
      from.map((weight, at) => weight + (step === 1 ? 0 : 0.01 * Math.sin(at + step)));
    for (const step of [1, 2]) {
      const matrix = f32Tensor([side, side], drift(tied, step));
      const model = safetensorsFile({
        'first.weight': matrix,
        'lm_head.weight': matrix,
        'table.weight': f32Tensor(shapeOfTable, drift(classifierWeights(0)['embed.weight'], step)),
      });
      const { status, bytes } = await rebuilt(await pushOne(api, run, step, model));
      // The weights are random, so the model guesses badly, and the hub warns about it.
      expect(status.result.fidelity).toBe('lossy');
      expect(
        status.result.warnings.filter((sentence: string) => !/worse than guessing|is not bounded/.test(sentence)),
      ).toEqual([]);
      const after = tensorsOf(bytes);
      expect(sameBytes(after.get('first.weight'), after.get('lm_head.weight'))).toBe(true);
      expect(sameBytes(after.get('first.weight'), tensorsOf(model).get('first.weight'))).toBe(false);
      expect(status.result.degradation.loss).toBeLessThanOrEqual(0.5);
    }
  });

  test('a map gives the graph a tensor of another name, transposed', async () => {
    const spec = {
      ...classifierSpec,
      tensorMap: {
        'fc1.weight': { tensor: 'hidden.kernel', transpose: true },
        'fc1.bias': { tensor: 'hidden.offset' },
      },
    };
    await createEvalSet(api, repository, {
      name: 'mapped',
      spec,
      graph: classifierGraph(),
      batches: classifierBatches(rows),
    });
    const run = await createRun(api, repository, {
      name: 'mapped',
      evalSet: 'mapped',
      thresholds: { loss: 0.5 },
      search: smallSearch,
    });
    const weights = classifierWeights(1);
    const [inner, outer] = classifierShapes['fc1.weight'];
    const kernel = (from: Float32Array, toOuter: number, toInner: number) =>
      Float32Array.from(from, (_, at) => from[(at % toInner) * toOuter + Math.floor(at / toInner)]!);
    const { 'fc1.weight': _, 'fc1.bias': offset, ...others } = Object.fromEntries(tensorsOf(classifierFile(weights)));
    const model = safetensorsFile({
      ...others,
      'hidden.kernel': f32Tensor([outer, inner], kernel(weights['fc1.weight'], outer, inner)),
      'hidden.offset': offset!,
    });
    const { status, bytes } = await rebuilt(await pushOne(api, run, 1, model));
    expect(status.result).toMatchObject({ fidelity: 'lossy', warnings: [] });
    expect(status.result.baseline.loss).toBeCloseTo(measure(weights, rows).loss, 4);
    const after = tensorsOf(bytes);
    expect(sameBytes(after.get('hidden.kernel'), tensorsOf(model).get('hidden.kernel'))).toBe(false);
    const found = {
      ...weights,
      ...Object.fromEntries(Object.keys(others).map((name) => [name, floatsOf(after.get(name)!)])),
    };
    const hidden = {
      'fc1.weight': kernel(floatsOf(after.get('hidden.kernel')!), inner, outer),
      'fc1.bias': floatsOf(after.get('hidden.offset')!),
    };
    const measured = measure({ ...found, ...hidden }, rows);
    expect(status.result.measured.loss).toBeCloseTo(measured.loss, 4);
  });

  test('tensors that no metric sees are kept exact, with a warning', async () => {
    const run = await createRun(api, repository, {
      name: 'unseen',
      evalSet: 'held-out',
      thresholds: { loss: 0.1 },
      search: smallSearch,
    });
    const unseen = f32Tensor([64, 64], normals(4096, 12));
    const model = safetensorsFile({
      ...Object.fromEntries(tensorsOf(classifierFile(classifierWeights(1)))),
      'unseen.weight': unseen,
    });
    const { status, bytes } = await rebuilt(await pushOne(api, run, 1, model));
    expect(status.result.warnings.join()).toMatch(/unseen\.weight/);
    expect(sameBytes(tensorsOf(bytes).get('unseen.weight'), unseen)).toBe(true);
    expect(
      (measure(weightsOf(bytes), rows).loss - status.result.baseline.loss) / status.result.baseline.loss,
    ).toBeLessThanOrEqual(0.1001);
  });
});
