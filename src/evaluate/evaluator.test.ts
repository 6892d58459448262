import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { EvalSetSpec } from '../checkpoint/quality/eval-set-spec.ts';
import type { HalvedMetrics } from '../checkpoint/quality/quality.ts';
import {
  buildModel,
  external,
  floats,
  graphAttribute,
  integers,
  intAttribute,
  node,
  tensorAttribute,
  value,
} from '../graph/onnx/build-model.ts';
import { createEvaluator } from './create-evaluator.ts';
import { EvalFiles, f32, i64, type Column } from './eval-files.test-support.ts';
import type { EvaluationRequest, LocalEvalSet } from './evaluation-request.ts';
import type { Evaluator } from './evaluator.ts';
import type { WeightBinding } from '../graph/weight-binding.ts';

/** Longest wait for a child to start and answer on a busy machine. */
const testTimeoutMs = 60_000;

let folder: string;
let evaluator: Evaluator;
let files: EvalFiles;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firn-evaluate-'));
  files = new EvalFiles(folder);
  evaluator = createEvaluator({ parallel: 2, deadlineMs: 30_000, memoryMaxBytes: 2 ** 30 });
});

afterAll(async () => {
  await evaluator.close();
  rmSync(folder, { recursive: true, force: true });
});

const halvesOf = async (request: EvaluationRequest): Promise<HalvedMetrics> =>
  (await evaluator.evaluateParts(request, { halves: true, groups: false })) as HalvedMetrics;

const writeFile = (bytes: Uint8Array) => files.write(bytes);
const writeTensors = (columns: Readonly<Record<string, Column>>) => files.writeTensors(columns);

/** logits = x w + b, with x [N,2], w [2,3], b [3]. */
const linearModel = buildModel({
  inputs: [value('x', ['N', 2])],
  outputs: [value('logits', ['N', 3])],
  initializers: [floats('w', [2, 3], [9, 9, 9, 9, 9, 9]), external('b', [3])],
  nodes: [node('MatMul', ['x', 'w'], ['m']), node('Add', ['m', 'b'], ['logits'])],
});
const rows = f32([3, 2], 1, 0, 0, 1, 1, 1);
const classes = i64([3], 2, 0, 1);
const w = f32([2, 3], 1, 2, 3, 4, 0, -1);
const b = f32([3], 0.5, 0, -0.5);
const sameNames: WeightBinding = { w: { tensor: 'w', transpose: false }, b: { tensor: 'b', transpose: false } };
const accuracy: EvalSetSpec = {
  inputs: { x: 'x' },
  metrics: [{ name: 'accuracy', kind: 'accuracy', output: 'logits', labels: 'y' }],
};
const entropy: EvalSetSpec = {
  inputs: { x: 'x' },
  metrics: [{ name: 'ce', kind: 'cross-entropy', output: 'logits', labels: 'y' }],
  batchRows: 2,
};

function evalSet(
  spec: EvalSetSpec,
  columns: Readonly<Record<string, Column>> = { x: rows, y: classes },
  graph: Uint8Array = linearModel,
): LocalEvalSet {
  return { graphPath: writeFile(graph), batchesPath: writeTensors(columns), spec };
}

/** Cross-entropy of logits x w + b against the classes, in doubles. */
function expectedEntropy(weights: readonly number[], bias: readonly number[], labels: readonly number[]): number {
  const inputs = [
    [1, 0],
    [0, 1],
    [1, 1],
  ];
  const losses = labels.map((label, row) => {
    const logits = bias.map(
      (offset, column) => offset + inputs[row]![0]! * weights[column]! + inputs[row]![1]! * weights[3 + column]!,
    );
    return Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0)) - logits[label]!;
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

describe('evaluate', { timeout: testTimeoutMs }, () => {
  test('every metric, over batches that do not divide the rows', async () => {
    const spec: EvalSetSpec = {
      inputs: { x: 'x' },
      batchRows: 2,
      metrics: [
        { name: 'ce', kind: 'cross-entropy', output: 'logits', labels: 'y' },
        { name: 'ppl', kind: 'perplexity', output: 'logits', labels: 'y' },
        { name: 'acc', kind: 'accuracy', output: 'logits', labels: 'y' },
        { name: 'loss', kind: 'loss', output: 'logits' },
        { name: 'mse', kind: 'mse', output: 'logits', labels: 'target' },
        { name: 'r', kind: 'pearson', output: 'logits', labels: 'target' },
      ],
    };
    const outputs = [1.5, 2, 2.5, 4.5, 0, -1.5, 5.5, 2, 1.5];
    const targets = [1, 2, 3, 4, 0, -2, 6, 2, 2];
    const values = await evaluator.evaluate({
      evalSet: evalSet(spec, { x: rows, y: classes, target: f32([3, 3], ...targets) }),
      binding: sameNames,
      weightPaths: [writeTensors({ w, b })],
    });
    const ce = expectedEntropy([1, 2, 3, 4, 0, -1], [0.5, 0, -0.5], [2, 0, 1]);
    expect(values['ce']).toBeCloseTo(ce, 6);
    expect(values['ppl']).toBeCloseTo(Math.exp(ce), 5);
    expect(values['acc']).toBe(2 / 3);
    expect(values['loss']).toBeCloseTo(2, 12);
    expect(values['mse']).toBeCloseTo(
      targets.reduce((sum, target, at) => sum + (target - outputs[at]!) ** 2, 0) / 9,
      12,
    );
    expect(values['r']).toBeCloseTo(correlation(outputs, targets), 12);
  });

  test('weights count: other bytes give another value, in the same session and from several files', async () => {
    const set = evalSet(entropy);
    const other = f32([2, 3], 0, 1, 0, 0, 0, 1);
    const first = await evaluator.evaluate({ evalSet: set, binding: sameNames, weightPaths: [writeTensors({ w, b })] });
    const second = await evaluator.evaluate({
      evalSet: set,
      binding: sameNames,
      weightPaths: [writeTensors({ w: other }), writeTensors({ b, unused: w })],
    });
    expect(first['ce']).toBeCloseTo(expectedEntropy([1, 2, 3, 4, 0, -1], [0.5, 0, -0.5], [2, 0, 1]), 6);
    expect(second['ce']).toBeCloseTo(expectedEntropy([0, 1, 0, 0, 0, 1], [0.5, 0, -0.5], [2, 0, 1]), 6);
    expect(
      await evaluator.evaluate({ evalSet: set, binding: sameNames, weightPaths: [writeTensors({ b, w })] }),
    ).toEqual(first);
  });

  test.each<[string, Column]>([
    ['BF16', { dtype: 'BF16', shape: [2, 3], data: Uint16Array.of(0x3f80, 0x4000, 0x4040, 0x4080, 0, 0xbf80) }],
    ['F16', { dtype: 'F16', shape: [2, 3], data: Uint16Array.of(0x3c00, 0x4000, 0x4200, 0x4400, 0, 0xbc00) }],
    ['F64', { dtype: 'F64', shape: [2, 3], data: Float64Array.of(1, 2, 3, 4, 0, -1) }],
  ])("%s weights are converted to the graph's type", async (_, converted) => {
    const set = evalSet(entropy);
    const values = await evaluator.evaluate({
      evalSet: set,
      binding: sameNames,
      weightPaths: [writeTensors({ w: converted, b })],
    });
    expect(values).toEqual(
      await evaluator.evaluate({ evalSet: set, binding: sameNames, weightPaths: [writeTensors({ w, b })] }),
    );
  });

  test('a transposed weight, and one tensor that fills two initializers', async () => {
    const graph = buildModel({
      inputs: [value('x', ['N', 2])],
      outputs: [value('logits', ['N', 3])],
      initializers: [external('w', [2, 3]), external('b', [3]), external('again', [3])],
      nodes: [
        node('MatMul', ['x', 'w'], ['m']),
        node('Add', ['m', 'b'], ['n']),
        node('Sub', ['n', 'again'], ['logits']),
      ],
    });
    const binding = {
      w: { tensor: 'fc', transpose: true },
      b: { tensor: 'bias', transpose: false },
      again: { tensor: 'bias', transpose: false },
    };
    const weights = writeTensors({ fc: f32([3, 2], 1, 4, 2, 0, 3, -1), bias: b });
    const values = await evaluator.evaluate({
      evalSet: evalSet(entropy, undefined, graph),
      binding,
      weightPaths: [weights],
    });
    expect(values['ce']).toBeCloseTo(expectedEntropy([1, 2, 3, 4, 0, -1], [0, 0, 0], [2, 0, 1]), 6);
  });

  test('weights used inside branches and loops, and weights stored there', async () => {
    const branch = (name: string) => ({
      nodes: [node('Mul', ['m', name], [`${name}_out`])],
      initializers: [floats(name, [3], [7, 7, 7])],
      outputs: [value(`${name}_out`, ['N', 3])],
    });
    const body = {
      inputs: [value('i', [], 'I64'), value('go', [], 'BOOL'), value('sum', ['N', 3])],
      outputs: [value('go_on', [], 'BOOL'), value('next', ['N', 3])],
      nodes: [node('Identity', ['go'], ['go_on']), node('Add', ['sum', 'b'], ['next'])],
    };
    const graph = buildModel({
      inputs: [value('x', ['N', 2])],
      outputs: [value('logits', ['N', 3])],
      initializers: [external('w', [2, 3]), floats('b', [3], [5, 5, 5]), integers('twice', [], [2])],
      nodes: [
        node('Constant', [], ['yes'], [tensorAttribute('value', { dims: [], dataType: 9, rawData: Uint8Array.of(1) })]),
        node('MatMul', ['x', 'w'], ['m']),
        node(
          'If',
          ['yes'],
          ['scaled'],
          [graphAttribute('then_branch', branch('gain')), graphAttribute('else_branch', branch('other'))],
        ),
        node('Loop', ['twice', 'yes', 'scaled'], ['logits'], [graphAttribute('body', body)]),
      ],
    });
    const binding = { ...sameNames, gain: { tensor: 'gain', transpose: false } };
    const values = await evaluator.evaluate({
      evalSet: evalSet(entropy, undefined, graph),
      binding,
      weightPaths: [writeTensors({ w, b, gain: f32([3], 1, 2, 3) })],
    });
    expect(values['ce']).toBeCloseTo(expectedEntropy([1, 4, 9, 4, 0, -3], [1, 0, -1], [2, 0, 1]), 6);
  });

  test('a bfloat16 initializer is fed', async () => {
    const graph = buildModel({
      inputs: [value('x', ['N', 2])],
      outputs: [value('logits', ['N', 3])],
      initializers: [external('w', [2, 3], 'BF16'), external('b', [3])],
      nodes: [
        node('Cast', ['w'], ['wide'], [intAttribute('to', 1)]),
        node('MatMul', ['x', 'wide'], ['m']),
        node('Add', ['m', 'b'], ['logits']),
      ],
    });
    const values = await evaluator.evaluate({
      evalSet: evalSet(entropy, undefined, graph),
      binding: sameNames,
      weightPaths: [writeTensors({ w, b })],
    });
    expect(values['ce']).toBeCloseTo(expectedEntropy([1, 2, 3, 4, 0, -1], [0.5, 0, -0.5], [2, 0, 1]), 6);
  });

  test('NaN weights give NaN metrics; ignored positions count nowhere, and nothing counted is NaN', async () => {
    const spec: EvalSetSpec = { ...accuracy, metrics: [...accuracy.metrics, ...entropy.metrics], ignoreLabel: -100 };
    const nan = await evaluator.evaluate({
      evalSet: evalSet(spec),
      binding: sameNames,
      weightPaths: [writeTensors({ w, b: f32([3], 0, NaN, 0) })],
    });
    expect(nan).toEqual({ accuracy: NaN, ce: NaN });
    const some = await evaluator.evaluate({
      evalSet: evalSet(spec, { x: rows, y: i64([3], 2, -100, -100) }),
      binding: sameNames,
      weightPaths: [writeTensors({ w, b })],
    });
    expect(some['accuracy']).toBe(1);
    const none = await evaluator.evaluate({
      evalSet: evalSet(spec, { x: rows, y: i64([3], -100, -100, -100) }),
      binding: sameNames,
      weightPaths: [writeTensors({ w, b })],
    });
    expect(none).toEqual({ accuracy: NaN, ce: NaN });
  });

  test('each half is an evaluation of its batches alone, and the whole is that without halves', async () => {
    const spec: EvalSetSpec = {
      inputs: { x: 'x' },
      batchRows: 2,
      metrics: [
        { name: 'ppl', kind: 'perplexity', output: 'logits', labels: 'y' },
        { name: 'acc', kind: 'accuracy', output: 'logits', labels: 'y' },
        { name: 'loss', kind: 'loss', output: 'logits' },
        { name: 'r', kind: 'pearson', output: 'logits', labels: 'target' },
      ],
    };
    const inputs = [1, 0, 0, 1, 1, 1, -1, 2, 0.5, 3, 2, -2, 1, 4];
    const labels = [2, 0, 1, 1, 0, 2, 0];
    /** A set of some of the seven rows. */
    const setOf = (picked: readonly number[]) =>
      evalSet(spec, {
        x: f32([picked.length, 2], ...picked.flatMap((row) => inputs.slice(2 * row, 2 * row + 2))),
        y: i64([picked.length], ...picked.map((row) => labels[row]!)),
        target: f32([picked.length, 3], ...picked.flatMap((row) => [row, 2 - row, row % 3])),
      });
    const model = { binding: sameNames, weightPaths: [writeTensors({ w, b })] };
    const seven = { ...model, evalSet: setOf([0, 1, 2, 3, 4, 5, 6]) };
    const { whole, halves } = await halvesOf(seven);
    expect(whole).toEqual(await evaluator.evaluate(seven));
    expect(halves[0]).toEqual(await evaluator.evaluate({ ...model, evalSet: setOf([0, 1, 4, 5]) }));
    expect(halves[1]).toEqual(await evaluator.evaluate({ ...model, evalSet: setOf([2, 3, 6]) }));
    expect(halves[0]!['ppl']).not.toBe(halves[1]!['ppl']);
    expect((4 * halves[0]!['acc']! + 3 * halves[1]!['acc']!) / 7).toBeCloseTo(whole['acc']!, 12);
    expect((4 * Math.log(halves[0]!['ppl']!) + 3 * Math.log(halves[1]!['ppl']!)) / 7).toBeCloseTo(
      Math.log(whole['ppl']!),
      12,
    );
    expect(await halvesOf(seven)).toEqual({ whole, halves });
  });

  test('halves of a set with a single batch are refused', async () => {
    const single = { evalSet: evalSet(accuracy), binding: sameNames, weightPaths: [writeTensors({ w, b })] };
    await expect(halvesOf(single)).rejects.toMatchObject({
      name: 'FirnError',
      code: 'eval-input-mismatch',
    });
  });

  test('the value depends neither on how many run at once nor on what ran before', async () => {
    const set = evalSet({ ...entropy, batchRows: 1 });
    const weightPaths = [writeTensors({ w, b })];
    const all = await Promise.all(
      Array.from({ length: 6 }, () => evaluator.evaluate({ evalSet: set, binding: sameNames, weightPaths })),
    );
    expect(new Set(all.map((values) => values['ce'])).size).toBe(1);
  });

  test.each<[string, string, () => Parameters<Evaluator['evaluate']>[0]]>([
    [
      'a weight file without the tensor',
      'graph-missing-weights',
      () => ({ evalSet: evalSet(entropy), binding: sameNames, weightPaths: [writeTensors({ w })] }),
    ],
    [
      'a weight of another shape',
      'eval-input-mismatch',
      () => ({ evalSet: evalSet(entropy), binding: sameNames, weightPaths: [writeTensors({ w, b: f32([2], 1, 2) })] }),
    ],
    [
      'a binding that leaves a weight open',
      'graph-missing-weights',
      () => ({ evalSet: evalSet(entropy), binding: { w: sameNames['w']! }, weightPaths: [writeTensors({ w, b })] }),
    ],
    [
      'a label that is no class',
      'eval-label-mismatch',
      () => ({
        evalSet: evalSet(entropy, { x: rows, y: i64([3], 0, 1, 3) }),
        binding: sameNames,
        weightPaths: [writeTensors({ w, b })],
      }),
    ],
    [
      'an index beyond the table',
      'eval-input-mismatch',
      () => ({
        evalSet: evalSet(
          { inputs: { i: 'i' }, metrics: [{ name: 'l', kind: 'loss', output: 'e' }] },
          { i: i64([2], 0, 50) },
          buildModel({
            inputs: [value('i', ['N'], 'I64')],
            outputs: [value('e', ['N', 3])],
            initializers: [external('w', [2, 3])],
            nodes: [node('Gather', ['w', 'i'], ['e'])],
          }),
        ),
        binding: { w: sameNames['w']! },
        weightPaths: [writeTensors({ w })],
      }),
    ],
  ])('%s fails with %s', async (_, code, request) => {
    await expect(evaluator.evaluate(request())).rejects.toMatchObject({ name: 'FirnError', code });
  });
});

describe('check', { timeout: testTimeoutMs }, () => {
  test('accepts a sound set, with weights in the graph or without', async () => {
    await evaluator.check(evalSet(entropy));
    await evaluator.check(
      evalSet(entropy, { x: rows, y: { dtype: 'I32', shape: [3, 1], data: Int32Array.of(0, 1, 2) } }),
    );
  });

  const one = (spec: Partial<EvalSetSpec>) => ({ ...entropy, ...spec });
  const metric = (change: object) => one({ metrics: [{ ...entropy.metrics[0]!, ...change }] });
  test.each<[string, string, () => LocalEvalSet]>([
    [
      'inputs of the wrong width',
      'eval-input-mismatch',
      () => evalSet(entropy, { x: f32([3, 3], 1, 2, 3, 4, 5, 6, 7, 8, 9), y: classes }),
    ],
    ['inputs of the wrong rank', 'eval-input-mismatch', () => evalSet(entropy, { x: f32([3], 1, 2, 3), y: classes })],
    [
      'inputs of the wrong type',
      'eval-input-mismatch',
      () => evalSet(entropy, { x: i64([3, 2], 1, 2, 3, 4, 5, 6), y: classes }),
    ],
    ['an input the spec leaves out', 'eval-input-mismatch', () => evalSet(one({ inputs: {} }))],
    ['an input the graph lacks', 'eval-input-mismatch', () => evalSet(one({ inputs: { x: 'x', z: 'x' } }))],
    ['an input tensor the batches lack', 'eval-input-mismatch', () => evalSet(one({ inputs: { x: 'gone' } }))],
    ['no rows', 'eval-input-mismatch', () => evalSet(entropy, { x: f32([0, 2]), y: i64([0]) })],
    ['half a row at once', 'eval-input-mismatch', () => evalSet(one({ batchRows: 0.5 }))],
    ['labels the batches lack', 'eval-label-mismatch', () => evalSet(metric({ labels: 'gone' }))],
    ['a metric without its labels', 'eval-label-mismatch', () => evalSet(metric({ labels: undefined }))],
    ['more labels than rows', 'eval-label-mismatch', () => evalSet(entropy, { x: rows, y: i64([4], 0, 0, 0, 0) })],
    [
      'labels of the wrong shape',
      'eval-label-mismatch',
      () => evalSet(entropy, { x: rows, y: i64([3, 2], 0, 0, 0, 0, 0, 0) }),
    ],
    ['targets of the wrong shape', 'eval-label-mismatch', () => evalSet(metric({ kind: 'mse' }))],
    ['an output the graph lacks', 'metric-unknown', () => evalSet(metric({ output: 'gone' }))],
    ['a metric of no known kind', 'metric-unknown', () => evalSet(metric({ kind: 'bleu' }))],
    [
      'two metrics of one name',
      'metric-unknown',
      () => evalSet(one({ metrics: [entropy.metrics[0]!, entropy.metrics[0]!] })),
    ],
    ['no metric', 'metric-unknown', () => evalSet(one({ metrics: [] }))],
    ['a graph that is none', 'graph-invalid', () => evalSet(entropy, undefined, new TextEncoder().encode('pickle'))],
    [
      'an operator that does not exist',
      'graph-invalid',
      () =>
        evalSet(
          entropy,
          undefined,
          buildModel({
            inputs: [value('x', ['N', 2])],
            outputs: [value('logits', ['N', 3])],
            nodes: [node('Pickle', ['x'], ['logits'])],
          }),
        ),
    ],
    [
      'external data behind an attribute',
      'graph-external-data',
      () =>
        evalSet(
          entropy,
          undefined,
          buildModel({
            inputs: [value('x', ['N', 2])],
            outputs: [value('logits', ['N', 2])],
            nodes: [
              node('Mystery', ['x'], ['logits'], [tensorAttribute('t', external('p', [1], 'F32', '/etc/passwd'))]),
            ],
          }),
        ),
    ],
    [
      'batches that are no safetensors file',
      'not-safetensors',
      () => ({ ...evalSet(entropy), batchesPath: writeFile(new TextEncoder().encode('PK and then some more bytes')) }),
    ],
    [
      'rows that a fixed batch size does not divide',
      'eval-input-mismatch',
      () =>
        evalSet(
          entropy,
          undefined,
          buildModel({
            inputs: [value('x', [2, 2])],
            outputs: [value('logits', [2, 2])],
            nodes: [node('Identity', ['x'], ['logits'])],
          }),
        ),
    ],
  ])('%s: %s', async (_, code, set) => {
    await expect(evaluator.check(set())).rejects.toMatchObject({ name: 'FirnError', code });
  });
});

describe('hostile graphs', { timeout: testTimeoutMs }, () => {
  test('mutated graphs are accepted or refused with a code, and the evaluator goes on', async () => {
    const codes = [
      'accepted',
      'graph-invalid',
      'graph-external-data',
      'graph-missing-weights',
      'eval-input-mismatch',
      'eval-label-mismatch',
      'metric-unknown',
      'eval-crashed',
      'eval-memory',
      'eval-timeout',
    ];
    const batchesPath = writeTensors({ x: rows, y: classes });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(linearModel.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 }),
        async (changes) => {
          const bytes = linearModel.slice();
          for (const [at, byte] of changes) bytes[at] = byte;
          const code = await evaluator.check({ graphPath: writeFile(bytes), batchesPath, spec: entropy }).then(
            () => 'accepted',
            (error: { code: string }) => error.code,
          );
          expect(codes).toContain(code);
        },
      ),
      { numRuns: 100, seed: 1 },
    );
    await evaluator.check(evalSet(entropy));
  });
});

describe('limits', { timeout: testTimeoutMs }, () => {
  let strict: Evaluator;
  afterEach(() => strict.close());

  const loss: EvalSetSpec = { inputs: { x: 'x' }, metrics: [{ name: 'l', kind: 'loss', output: 'y' }] };
  const columns = { x: f32([1], 1) };
  const sound = buildModel({
    inputs: [value('x', ['N'])],
    outputs: [value('y', ['N'])],
    nodes: [node('Identity', ['x'], ['y'])],
  });

  /** A loop without trip count and condition, over `grow` of its state. */
  function endless(...grow: ReturnType<typeof node>[]): Uint8Array {
    const body = {
      inputs: [value('i', [], 'I64'), value('go', [], 'BOOL'), value('s', ['M'])],
      outputs: [value('go_on', [], 'BOOL'), value('t', ['M2'])],
      nodes: [node('Identity', ['go'], ['go_on']), ...grow],
    };
    return buildModel({
      inputs: [value('x', ['N'])],
      outputs: [value('y', ['K'])],
      nodes: [node('Loop', ['', '', 'x'], ['y'], [graphAttribute('body', body)])],
    });
  }

  test('a graph that never ends is stopped at the deadline, and the next one runs', async () => {
    strict = createEvaluator({ parallel: 1, deadlineMs: 1500, memoryMaxBytes: 2 ** 30 });
    const started = performance.now();
    await expect(strict.check(evalSet(loss, columns, endless(node('Neg', ['s'], ['t']))))).rejects.toMatchObject({
      code: 'eval-timeout',
    });
    expect(performance.now() - started).toBeGreaterThan(1500);
    await expect(strict.check(evalSet(loss, columns, sound))).resolves.toBeUndefined();
  });

  test('memory that grows is stopped at the limit', async () => {
    strict = createEvaluator({ parallel: 1, deadlineMs: 30_000, memoryMaxBytes: 256 * 2 ** 20 });
    await expect(
      strict.check(evalSet(loss, columns, endless(node('Concat', ['s', 's'], ['t'], [intAttribute('axis', 0)])))),
    ).rejects.toMatchObject({
      code: 'eval-memory',
    });
    await expect(strict.check(evalSet(loss, columns, sound))).resolves.toBeUndefined();
  });

  test('a tensor far beyond memory is refused, asked for at once', async () => {
    strict = createEvaluator({ parallel: 1, deadlineMs: 30_000, memoryMaxBytes: 256 * 2 ** 20 });
    const bomb = buildModel({
      inputs: [value('x', ['N'])],
      outputs: [value('y', [])],
      initializers: [integers('shape', [1], [2 ** 40])],
      nodes: [
        node('ConstantOfShape', ['shape'], ['big']),
        node('ReduceSum', ['big'], ['sum'], [intAttribute('keepdims', 0)]),
        node('Add', ['sum', 'x'], ['y']),
      ],
    });
    await expect(strict.check(evalSet(loss, columns, bomb))).rejects.toMatchObject({ code: 'eval-memory' });
    await expect(
      strict.check(
        evalSet(
          loss,
          columns,
          buildModel({
            inputs: [value('x', ['N'])],
            outputs: [value('y', ['N'])],
            initializers: [external('w', [2 ** 40])],
            nodes: [node('Add', ['x', 'w'], ['y'])],
          }),
        ),
      ),
    ).rejects.toMatchObject({ code: 'eval-memory' });
  });

  test('an aborted evaluation is cancelled, while it runs, waits, or before', async () => {
    strict = createEvaluator({ parallel: 1, deadlineMs: 30_000, memoryMaxBytes: 2 ** 30 });
    await strict.check(evalSet(loss, columns, sound));
    const abort = new AbortController();
    const set = evalSet(loss, columns, endless(node('Neg', ['s'], ['t'])));
    const running = strict.check(set, abort.signal);
    const waiting = strict.check(set, abort.signal);
    const results = Promise.allSettled([running, waiting, strict.check(set, AbortSignal.abort())]);
    await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    expect(
      (await results).map((result) => result.status === 'rejected' && (result.reason as { code: string }).code),
    ).toEqual(['cancelled', 'cancelled', 'cancelled']);
    await expect(strict.check(evalSet(loss, columns, sound))).resolves.toBeUndefined();
  });

  test('closing ends running and waiting requests', async () => {
    strict = createEvaluator({ parallel: 1, deadlineMs: 30_000, memoryMaxBytes: 2 ** 30 });
    const set = evalSet(loss, columns, endless(node('Neg', ['s'], ['t'])));
    const results = Promise.allSettled([strict.check(set), strict.check(set)]);
    await strict.close();
    expect((await results).every((result) => result.status === 'rejected')).toBe(true);
  });
});

function correlation(a: readonly number[], c: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const moment = (p: readonly number[], q: readonly number[]) =>
    mean(p.map((each, at) => (each - mean(p)) * (q[at]! - mean(q))));
  return moment(a, c) / Math.sqrt(moment(a, a) * moment(c, c));
}
