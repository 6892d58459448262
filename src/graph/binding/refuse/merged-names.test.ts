import { describe, expect, test } from 'vitest';
import { bindModel, couldFillModel, numbers, type TestCheckpoint } from '../bind-model.test-support.ts';
import { buildModel, floats, intAttribute, node, value, type ModelParts } from '../../onnx/build-model.ts';
import { describeGraph } from '../../describe-graph.ts';
import { refuseMergedStatistics } from './merged-statistics.ts';

const ones = [1, 1, 1];
const zeros = [0, 0, 0];

/**
 * A fresh model as torch's older exporter writes it: one vector for each number, and Identities for the weights merged
 * into it.
 */
function norms(
  nodes: NonNullable<ModelParts['nodes']>,
  initializers = [floats('n1.weight', [3], ones), floats('n1.bias', [3], zeros)],
): ModelParts {
  return {
    inputs: [value('x', ['n', 3])],
    outputs: [value('y', ['n', 3])],
    initializers: [floats('fc.weight', [3, 3], numbers(9)), ...initializers],
    nodes: [node('MatMul', ['x', 'fc.weight'], ['h']), ...nodes],
  };
}

const twoNorms = (second: readonly [string, string], before: NonNullable<ModelParts['nodes']> = []) =>
  norms([
    ...before,
    node('LayerNormalization', ['h', 'n1.weight', 'n1.bias'], ['a']),
    node('LayerNormalization', ['a', ...second], ['y']),
  ]);
const byIdentity = twoNorms(
  ['n2.weight', 'n2.bias'],
  [node('Identity', ['n1.weight'], ['n2.weight']), node('Identity', ['n1.bias'], ['n2.bias'])],
);
const lacking: TestCheckpoint = { 'fc.weight': [[3, 3]], 'n1.weight': [[3]], 'n1.bias': [[3]] };
const refusal = (text: RegExp) =>
  expect.objectContaining({ code: 'graph-missing-weights', message: expect.stringMatching(text) });

describe('a norm that the exporter merged into another one and that the checkpoint lacks', () => {
  test('is refused with both names, from headers alone', async () => {
    const wanted = refusal(
      /lacks "n2\.weight".*"n1\.weight".*keep_initializers_as_inputs=True.*"unused":\["n2\.weight"\]/,
    );
    await expect(bindModel(byIdentity, lacking)).rejects.toEqual(wanted);
    expect(() => couldFillModel(byIdentity, lacking)).toThrow(wanted);
  });

  test('is allowed if the eval set declares it', async () => {
    await bindModel(byIdentity, lacking, { unused: ['n2.*'] });
    await bindModel(byIdentity, lacking, { constants: ['n2.*'] });
  });

  test('is doubted if no name distinguishes it from a shared norm', async () => {
    const bound = await bindModel(twoNorms(['n1.weight', 'n1.bias']), lacking);
    expect(bound.report.doubtful).toEqual(['n1.weight', 'n1.bias']);
  });

  test('is none where numbers of a trained graph are shared, or where the name is the exporter’s own', async () => {
    const trained = { ...twoNorms(['n1.weight', 'n1.bias']) };
    trained.initializers = [
      ...trained.initializers!.slice(0, 1),
      floats('n1.weight', [3], numbers(3)),
      floats('n1.bias', [3], numbers(3, 2)),
    ];
    expect((await bindModel(trained, lacking)).report.doubtful).toBeUndefined();
    await bindModel(
      twoNorms(['/drop/Identity_output_0', 'n1.bias'], [node('Identity', ['n1.weight'], ['/drop/Identity_output_0'])]),
      lacking,
    );
  });
});

describe('a batch normalization', () => {
  const batchNorm = (inputs: readonly string[], attributes: Parameters<typeof node>[3] = []) =>
    norms([
      node('Identity', ['n1.weight'], ['n1.running_var']),
      node('Identity', ['n1.bias'], ['n1.running_mean']),
      node('BatchNormalization', ['h', ...inputs], ['y'], attributes),
    ]);
  const none = () => false;
  const graphOf = (model: ModelParts) => describeGraph(buildModel(model));

  test.each([
    [
      'bias and running mean',
      ['n1.weight', 'n1.bias', 'n1.running_mean', 'v'],
      /"n1\.bias" both as the bias and as the running mean.*optimize=False/,
    ],
    [
      'scale and running variance',
      ['n1.weight', 'n1.bias', 'm', 'n1.running_var'],
      /"n1\.weight" both as the scale and as the running variance/,
    ],
  ])('whose %s are one tensor is refused from the graph alone', async (_, inputs, text) => {
    expect(() => refuseMergedStatistics(graphOf(batchNorm(inputs)), none)).toThrow(refusal(text));
    await expect(bindModel(batchNorm(inputs), lacking)).rejects.toEqual(refusal(text));
  });

  test('of four tensors, of declared constants, or that takes the statistics of the batch, is not', () => {
    const merged = ['n1.weight', 'n1.bias', 'n1.running_mean', 'n1.running_var'];
    refuseMergedStatistics(graphOf(batchNorm(['n1.weight', 'n1.bias', 'm', 'v'])), none);
    refuseMergedStatistics(graphOf(batchNorm(merged)), (name) => name.startsWith('n1.'));
    refuseMergedStatistics(graphOf(batchNorm(merged, [intAttribute('training_mode', 1)])), none);
  });
});
