import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildModel, external, intAttribute, integers, node, value } from '../../graph/onnx/build-model.ts';
import { createEvaluator } from '../create-evaluator.ts';
import { describeExamination } from './describe-examination.ts';
import { EvalFiles, f32, type Column } from '../eval-files.test-support.ts';
import type { Evaluator } from '../evaluator.ts';
import { isSum } from './summed-loss.ts';

/** Longest wait for a child to start and answer on a busy machine. */
const testTimeoutMs = 60_000;

let folder: string;
let evaluator: Evaluator;
let files: EvalFiles;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firn-summed-'));
  files = new EvalFiles(folder);
  evaluator = createEvaluator({ parallel: 1, deadlineMs: 30_000, memoryMaxBytes: 2 ** 30 });
});

afterAll(async () => {
  await evaluator.close();
  rmSync(folder, { recursive: true, force: true });
});

const rows = f32([5, 2], 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
/** In the first four rows, one position counts in the first half and two in the second. */
const mask = f32([5, 2], 1, 0, 0, 0, 1, 1, 0, 0, 1, 1);
const ones = f32([2], 1, 1);
const noDims = intAttribute('keepdims', 0);
const scaled = node('Mul', ['x', 'w'], ['scaled']);

interface Loss {
  readonly nodes: readonly ReturnType<typeof node>[];
  readonly inputs?: readonly string[];
  readonly rows?: number;
  readonly columns?: Readonly<Record<string, Column>>;
  readonly output?: readonly (number | string)[];
  readonly batchRows?: number;
  /** Initializers besides the weight. */
  readonly more?: readonly ReturnType<typeof integers>[];
}

async function warningsOf({
  nodes,
  inputs = ['x'],
  rows: rowCount,
  columns = { x: rows },
  output = [],
  batchRows = 4,
  more = [],
}: Loss): Promise<readonly string[]> {
  const graph = buildModel({
    inputs: inputs.map((name) => value(name, [rowCount ?? 'N', 2])),
    outputs: [value('loss', [...output])],
    initializers: [external('w', [2]), ...more],
    nodes: [scaled, ...nodes],
  });
  const evalSet = {
    graphPath: files.write(graph),
    batchesPath: files.writeTensors(columns),
    spec: {
      inputs: Object.fromEntries(inputs.map((name) => [name, name])),
      metrics: [{ name: 'mine', kind: 'loss', output: 'loss' } as const],
      batchRows,
    },
  };
  const binding = { w: { tensor: 'w', transpose: false } };
  return describeExamination(
    await evaluator.examine({ evalSet, binding, weightPaths: [files.writeTensors({ w: ones })] }),
  ).warnings;
}

/** Sum over the positions that count, divided by how many count. */
const maskedMean = [
  node('Mul', ['scaled', 'mask'], ['counted']),
  node('ReduceSum', ['counted'], ['sum'], [noDims]),
  node('ReduceSum', ['mask'], ['positions'], [noDims]),
  node('Div', ['sum', 'positions'], ['loss']),
];

describe('a graph whose own loss', { timeout: testTimeoutMs }, () => {
  test.each<[string, Loss]>([
    ['is a sum', { nodes: [node('ReduceSum', ['scaled'], ['loss'], [noDims])] }],
    ['is a sum over rows, and keeps its axes', { nodes: [node('ReduceSum', ['scaled'], ['loss'])], output: [1, 1] }],
    [
      'is a sum, of a batch with an odd number of rows',
      { nodes: [node('ReduceSum', ['scaled'], ['loss'], [noDims])], batchRows: 3 },
    ],
  ])('%s is a warning with the fix', async (_, loss) => {
    expect(await warningsOf(loss)).toEqual([
      expect.stringMatching(/^"mine" adds up over rows: .*Export the loss as a mean: reduction="mean"/),
    ]);
  });

  test('says the figures of the batch and of its halves', async () => {
    const [warning] = await warningsOf({ nodes: [node('ReduceSum', ['scaled'], ['loss'], [noDims])] });
    expect(warning).toContain('the first batch of 4 rows gives 36, its two halves 10 and 26');
  });

  test.each<[string, Loss]>([
    ['is a mean', { nodes: [node('ReduceMean', ['scaled'], ['loss'], [noDims])] }],
    ['is one value a row', { nodes: [node('Identity', ['scaled'], ['loss'])], output: ['N', 2] }],
    [
      'is a mean over unequal numbers of positions',
      { nodes: maskedMean, inputs: ['x', 'mask'], columns: { x: rows, mask } },
    ],
    [
      'is a mean, with nothing that counts in one half',
      {
        nodes: [
          ...maskedMean.slice(0, 3),
          node('Max', ['positions', 'w'], ['some']),
          node('Div', ['sum', 'some'], ['each']),
          node('ReduceMax', ['each'], ['loss'], [noDims]),
        ],
        inputs: ['x', 'mask'],
        columns: { x: rows, mask: f32([5, 2], 1, 1, 1, 1, 0, 0, 0, 0, 1, 1) },
      },
    ],
    ['is a sum of one row at a time', { nodes: [node('ReduceSum', ['scaled'], ['loss'], [noDims])], batchRows: 1 }],
    ['is a sum over a fixed number of rows', { nodes: [node('ReduceSum', ['scaled'], ['loss'], [noDims])], rows: 5 }],
    [
      'is zero',
      { nodes: [node('Sub', ['scaled', 'scaled'], ['none']), node('ReduceSum', ['none'], ['loss'], [noDims])] },
    ],
  ])('%s gives no warning', async (_, loss) => {
    expect(await warningsOf(loss)).toEqual([]);
  });

  test('cannot be run on half a batch says nothing', async () => {
    const nodes = [node('Reshape', ['scaled', 'shape'], ['flat']), node('ReduceSum', ['flat'], ['loss'], [noDims])];
    expect(
      await warningsOf({
        nodes,
        more: [integers('shape', [1], [8])],
        columns: { x: f32([4, 2], 1, 2, 3, 4, 5, 6, 7, 8) },
      }),
    ).toEqual([]);
  });
});

describe('isSum', () => {
  test.each<[string, number, readonly [number, number], boolean]>([
    ['halves that add up', 10, [4, 6], true],
    ['halves that add up but for rounding', 10.0005, [4, 6], true],
    ['negative halves that add up', -10, [-4, -6], true],
    ['a mean', 5, [4, 6], false],
    ['a weighted mean', 5.9, [4, 6], false],
    ['a half without a loss', 6, [0, 6], false],
    ['halves of opposite signs', 2, [-4, 6], false],
    ['next to nothing', 2e-9, [1e-9, 1e-9], false],
    ['what is not finite', Number.NaN, [4, 6], false],
    ['infinities', Infinity, [Infinity, Infinity], false],
  ])('%s: %s', (_, whole, halves, expected) => {
    expect(isSum({ whole, halves })).toBe(expected);
  });
});
