import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EvalSetSpec, MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { observedMetrics, withoutSoftmax } from '../../checkpoint/quality/observed-metrics.ts';
import { buildModel, external, intAttribute, node, value } from '../../graph/onnx/build-model.ts';
import { createEvaluator } from '../create-evaluator.ts';
import { describeExamination } from './describe-examination.ts';
import { EvalFiles, f32, i64, type Column } from '../eval-files.test-support.ts';
import type { LocalEvalSet } from '../evaluation-request.ts';
import type { Evaluator } from '../evaluator.ts';
import type { Examination, InputReading, MetricReading } from './examination.ts';

/** Longest wait for a child to start and answer on a busy machine. */
const testTimeoutMs = 60_000;

let folder: string;
let evaluator: Evaluator;
let files: EvalFiles;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firn-examine-'));
  files = new EvalFiles(folder);
  evaluator = createEvaluator({ parallel: 1, deadlineMs: 30_000, memoryMaxBytes: 2 ** 30 });
});

afterAll(async () => {
  await evaluator.close();
  rmSync(folder, { recursive: true, force: true });
});

/** logits = x w, with x [N, T, 4], w [4, 4]; `probabilities` is their softmax. */
const graph = buildModel({
  inputs: [value('x', ['N', 'T', 4])],
  outputs: [value('logits', ['N', 'T', 4]), value('probabilities', ['N', 'T', 4])],
  initializers: [external('w', [4, 4])],
  nodes: [
    node('MatMul', ['x', 'w'], ['logits']),
    node('Softmax', ['logits'], ['probabilities'], [intAttribute('axis', -1)]),
  ],
});
const binding = { w: { tensor: 'w', transpose: false } };
/** Weights that predict the class of the input. */
const identity = f32([4, 4], 5, 0, 0, 0, 0, 5, 0, 0, 0, 0, 5, 0, 0, 0, 0, 5);
const crossEntropy: MetricSpec = {
  name: 'loss',
  kind: 'cross-entropy',
  output: 'logits',
  labels: 'y',
  classAxis: 'last',
};

/** Rows of four positions, each with one class. */
const classRows = [
  [0, 1, 2, 3],
  [3, 1, 0, 2],
  [2, 2, 1, 0],
];
const oneHot = (classes: readonly number[]): number[] =>
  classes.flatMap((index) => [0, 1, 2, 3].map((each) => Number(each === index)));
const inputs = f32([3, 4, 4], ...classRows.flatMap(oneHot));

function evalSet(spec: Partial<EvalSetSpec>, columns: Readonly<Record<string, Column>>): LocalEvalSet {
  return {
    graphPath: files.write(graph),
    batchesPath: files.writeTensors({ x: inputs, ...columns }),
    spec: { inputs: { x: 'x' }, metrics: [crossEntropy], batchRows: 2, ...spec },
  };
}

const labelled = (rows: readonly (readonly number[])[]) => ({ y: i64([rows.length, 4], ...rows.flat()) });
const weights = (w: Column) => [files.writeTensors({ w })];

describe('examine', { timeout: testTimeoutMs }, () => {
  test('gives the values of an evaluation, those of the halves, and how the set was read', async () => {
    const set = evalSet({ ignoreLabel: -100 }, labelled([[0, 1, 2, 3], [3, 1, 0, -100], classRows[2]!]));
    const request = { evalSet: set, binding, weightPaths: weights(identity) };
    const examination = await evaluator.examine(request);
    const { whole, halves } = await evaluator.evaluateParts(request, { halves: true, groups: false });
    expect(examination).toMatchObject({ whole, halves, rows: 3, batchCount: 2, referenceWritten: false });
    expect(examination.readings).toMatchObject([
      { outputShape: [3, 4, 4], labelsShape: [3, 4], counted: 11, ignored: 1, classCount: 4, guessing: Math.log(4) },
    ]);
    expect(examination.inputs).toEqual([{ input: 'x', tensor: 'x', dtype: 'F32', shape: [3, 4, 4], notFinite: 0 }]);
    const words = describeExamination(examination);
    expect(words.understood).toEqual([
      '3 rows in 2 batches; fed: "x" from "x" (F32 [3, 4, 4]).',
      '"loss": cross-entropy of logits [3, 4, 4] with y [3, 4], 11 positions, 1 left out; 0.02 (1.3863 for guessing).',
      'On the even and the odd batches: "loss" 0.02 and 0.02 (0 % apart).',
    ]);
    expect(words.warnings).toEqual([]);
  });

  test.each([
    [
      'later',
      [classRows[0]!, classRows[1]!, classRows[2]!].map((row) => [9, ...row.slice(0, -1)].map((label) => label % 4)),
    ],
    ['earlier', [classRows[0]!, classRows[1]!, classRows[2]!].map((row) => [...row.slice(1), 0])],
  ])('labels that fit one position %s better are said to look shifted', async (side, rows) => {
    const examination = await evaluator.examine({
      evalSet: evalSet({}, labelled(rows)),
      binding,
      weightPaths: weights(identity),
    });
    expect(describeExamination(examination).warnings.join(' ')).toMatch(
      new RegExp(`"y" look shifted by one: .* against the label one position ${side}`),
    );
  });

  test('a loss worse than guessing is said to be', async () => {
    const shuffled = classRows.map((row) => row.map((label) => (label + 2) % 4));
    const examination = await evaluator.examine({
      evalSet: evalSet({}, labelled(shuffled)),
      binding,
      weightPaths: weights(identity),
    });
    expect(describeExamination(examination).warnings).toEqual([
      expect.stringMatching(/"loss" is 5.02, worse than guessing \(1.3863 for guessing among 4 classes\)/),
    ]);
  });

  test.each<MetricSpec['kind']>(['cross-entropy', 'perplexity', 'kl-divergence'])(
    'probabilities instead of logits for %s are refused, without weights too',
    async (kind) => {
      const metrics = [{ ...crossEntropy, kind, output: 'probabilities' }];
      const set = evalSet({ metrics }, labelled(classRows));
      const refusal = { code: 'eval-label-mismatch', message: expect.stringContaining('holds probabilities') };
      await expect(evaluator.examine({ evalSet: set, binding, weightPaths: weights(identity) })).rejects.toMatchObject(
        refusal,
      );
      await expect(evaluator.check(set)).rejects.toMatchObject(refusal);
    },
  );

  test.each<MetricSpec['kind']>(['accuracy', 'top-k-accuracy', 'f1', 'agreement'])(
    'probabilities for %s, which takes no softmax, are reported, and observed metrics that take one are left out',
    async (kind) => {
      const metrics = [{ ...crossEntropy, name: 'mine', kind, output: 'probabilities' }];
      const set = evalSet({ metrics }, labelled(classRows));
      const examination = await evaluator.examine({ evalSet: set, binding, weightPaths: weights(identity) });
      expect(examination.probabilityOutputs).toEqual(['probabilities']);
      expect(
        withoutSoftmax(observedMetrics(set.spec), examination.probabilityOutputs)
          .map(({ kind: left }) => left)
          .sort(),
      ).toEqual(
        ['accuracy', 'agreement'].filter((each) => each !== kind && (each !== 'accuracy' || kind !== 'agreement')),
      );
      const { understood, warnings } = describeExamination(examination);
      expect(understood.join(' ')).toMatch(
        /Output "probabilities" holds probabilities, so what wants logits .* is not measured besides/,
      );
      expect(warnings).toEqual([]);
      const logits = await evaluator.examine({
        evalSet: evalSet({}, labelled(classRows)),
        binding,
        weightPaths: weights(identity),
      });
      expect(logits.probabilityOutputs).toEqual([]);
    },
  );

  test('inputs that are not finite are counted', async () => {
    const broken = f32([3, 4, 4], ...classRows.flatMap(oneHot));
    (broken.data as Float32Array)[5] = Number.NaN;
    const set = {
      ...evalSet({}, labelled(classRows)),
      batchesPath: files.writeTensors({ x: broken, ...labelled(classRows) }),
    };
    const examination = await evaluator.examine({ evalSet: set, binding, weightPaths: weights(identity) });
    expect(describeExamination(examination).warnings).toContain(
      'Input "x" is fed 1 value that is NaN or infinite, from "x".',
    );
  });

  test('outputs are kept to compare with, up to a limit, and compared batch by batch', async () => {
    const set = evalSet({ metrics: [{ name: 'kl', kind: 'kl-divergence', output: 'logits' }] }, {});
    const observed = observedMetrics(set.spec);
    expect(observed).toEqual([{ name: 'agreement', kind: 'agreement', output: 'logits' }]);
    const request = { evalSet: set, binding, observed };
    const sizeBytes = inputs.data.byteLength;
    const path = files.path();
    const own = await evaluator.examine({
      ...request,
      weightPaths: weights(identity),
      reference: { path, bytesMax: sizeBytes },
    });
    expect(own).toMatchObject({ whole: { kl: 0, agreement: 1 }, referenceWritten: true });
    expect(statSync(path).size).toBe(sizeBytes);
    expect(
      await evaluator.evaluate({
        ...request,
        weightPaths: weights(identity),
        reference: { path, outputs: own.referenceOutputs },
      }),
    ).toEqual({
      kl: 0,
      agreement: 1,
    });
    // Half as confident, and with another prediction where the input is class 3: a third of the positions.
    const other = f32([4, 4], 2.5, 0, 0, 0, 0, 2.5, 0, 0, 0, 0, 2.5, 0, 2.5, 0, 0, 0);
    const values = await evaluator.evaluateParts(
      { ...request, weightPaths: weights(other), reference: { path, outputs: own.referenceOutputs } },
      { halves: true, groups: false },
    );
    expect(values.whole['agreement']).toBeCloseTo(10 / 12, 12);
    expect(values.whole['kl']).toBeGreaterThan(0.1);
    expect(values.whole['kl']).toBeCloseTo((8 * values.halves![0]['kl']! + 4 * values.halves![1]['kl']!) / 12, 12);
    await expect(evaluator.evaluate({ ...request, weightPaths: weights(other) })).rejects.toMatchObject({
      code: 'eval-input-mismatch',
    });

    const beyond = files.path();
    const tooLarge = await evaluator.examine({
      ...request,
      weightPaths: weights(identity),
      reference: { path: beyond, bytesMax: sizeBytes - 1 },
    });
    expect([tooLarge.referenceWritten, existsSync(beyond)]).toEqual([false, false]);
  });

  test('a metric of one output reads its own reference if others were written too', async () => {
    const metrics: MetricSpec[] = [
      { name: 'kl', kind: 'kl-divergence', output: 'logits' },
      { ...crossEntropy, output: 'other' },
    ];
    const twoOutputs = buildModel({
      inputs: [value('x', ['N', 'T', 4])],
      outputs: [value('logits', ['N', 'T', 4]), value('other', ['N', 'T', 4])],
      initializers: [external('w', [4, 4])],
      nodes: [node('MatMul', ['x', 'w'], ['logits']), node('Neg', ['logits'], ['other'])],
    });
    const set = { ...evalSet({ metrics }, labelled(classRows)), graphPath: files.write(twoOutputs) };
    const request = { evalSet: set, binding, weightPaths: weights(identity) };
    const observed = observedMetrics(set.spec);
    const path = files.path();
    const { referenceOutputs } = await evaluator.examine({
      ...request,
      observed,
      reference: { path, bytesMax: 2 ** 20 },
    });
    expect(referenceOutputs).toEqual(['logits', 'other']);
    const reference = { path, outputs: referenceOutputs };
    expect((await evaluator.evaluate({ ...request, reference }))['kl']).toBe(0);
    expect(await evaluator.evaluate({ ...request, observed, reference })).toMatchObject({
      kl: 0,
      agreement: 1,
      'kl-divergence': 0,
    });
  });
});

describe('describeExamination', () => {
  const reading = (given: Partial<MetricReading>): MetricReading => ({
    name: 'm',
    kind: 'mse',
    output: 'o',
    outputShape: [4],
    counted: 4,
    ignored: 0,
    ...given,
  });
  const examined = (given: Partial<Examination>): Examination => ({
    whole: { m: 2 },
    halves: [{ m: 1 }, { m: 3 }],
    rows: 4,
    batchCount: 2,
    inputs: [],
    unusedColumns: [],
    readings: [],
    probabilityOutputs: [],
    referenceWritten: false,
    referenceOutputs: [],
    seconds: 1,
    ...given,
  });
  function fed(input: string, tensor: string, range: NonNullable<InputReading['range']>): InputReading {
    return { input, tensor, dtype: 'I64', shape: [4, 8], notFinite: 0, range };
  }
  const warnings = (given: Partial<Examination>) => describeExamination(examined(given)).warnings;

  test.each<[string, Partial<Examination>, RegExp]>([
    [
      'an mse above the variance of the labels',
      { readings: [reading({ guessing: 1 })] },
      /"m" is 2, worse than guessing \(1 for a guess that looks at no input\)/,
    ],
    [
      'a loss worse than guessing of first choices that are right beyond chance',
      {
        whole: { m: 19.7 },
        readings: [
          reading({
            kind: 'cross-entropy',
            guessing: Math.log(10),
            classCount: 10,
            counted: 2000,
            topChoices: { right: 0.2015, byChance: 0.1 },
          }),
        ],
      },
      /"m" is 19.7, worse than guessing .* right in 20.15 % of positions, 10 % by chance, so labels and outputs belong/,
    ],
    [
      'an accuracy below its share',
      { whole: { m: 0.01 }, readings: [reading({ kind: 'accuracy', guessing: 0.1, classCount: 10 })] },
      /0.1 for guessing among 10 classes/,
    ],
    [
      'binary outputs within 0 and 1',
      { readings: [reading({ kind: 'binary-cross-entropy', withinUnit: true })] },
      /may be probabilities where "m" wants logits.*last sigmoid/,
    ],
    ['labels that are all ignored', { readings: [reading({ counted: 0, ignored: 4 })] }, /No position counts in "m"/],
    [
      'a target that is not finite',
      { readings: [reading({ labels: 'y', labelsShape: [4], labelsNotFinite: 1 })] },
      /Labels "y" hold 1 value that is NaN or infinite/,
    ],
    [
      'a mask that nothing takes',
      { unusedColumns: ['attention_mask', 'other_labels'] },
      /hold "attention_mask", which no input of the graph takes/,
    ],
    [
      'a mask fed as tokens',
      { inputs: [fed('input_ids', 'attention_mask', { least: 0, largest: 1 })] },
      /Input "input_ids" is fed zeros and ones alone, from "attention_mask": .*"input_ids": the tensor of the tokens/,
    ],
    [
      'tokens fed as a mask',
      { inputs: [fed('encoder.attention_mask', 'input_ids', { least: 3, largest: 50_256 })] },
      // The pattern is one sentence.
      // eslint-disable-next-line max-len
      /Input "encoder.attention_mask" is fed whole numbers from 3 to 50,256, from "input_ids", where a mask holds zeros and ones/,
    ],
    [
      'padding that counts',
      {
        readings: [reading({ labels: 'y', labelsShape: [4], padded: { label: 0, side: 'end', rows: 12, share: 0.2 } })],
      },
      // The pattern is one sentence.
      // eslint-disable-next-line max-len
      /"y" look padded: 12 rows end in a run of label 0, which is rare elsewhere, 20 % of all positions.*"ignoreLabel": 0 in the spec/,
    ],
    [
      'padding that counts although another label is left out',
      {
        readings: [
          reading({
            labels: 'y',
            labelsShape: [4],
            padded: { label: 0, side: 'start', rows: 12, share: 0.2, input: 'mask', ignoreLabel: -100 },
          }),
        ],
      },
      /12 rows start in a run of label 0, where input "mask" looks padded, .*If it is padding, label it -100\.$/,
    ],
    ['one row', { rows: 1 }, /one row alone/],
    [
      'a graph of half floats',
      { roundedWeights: { count: 3, tensor: 'w', from: 'F32', to: 'F16' } },
      /3 weights as F16 that the checkpoint holds as F32 \("w" among them\)/,
    ],
  ])('%s is a warning', (_, given, sentence) => {
    expect(warnings(given)).toEqual([expect.stringMatching(sentence)]);
  });

  test.each<[string, number, number]>([
    ['right beyond chance', 0.2015, 0],
    ['right by chance', 0.11, 1],
  ])('a loss worse than guessing is doubted unless first choices are right beyond chance: %s', (_, right, doubts) => {
    const topChoices = { right, byChance: 0.1 };
    const given = { kind: 'cross-entropy', guessing: Math.log(10), classCount: 10, counted: 2000, topChoices } as const;
    expect(describeExamination(examined({ whole: { m: 19.7 }, readings: [reading(given)] })).doubts).toHaveLength(
      doubts,
    );
  });

  test.each<[string, InputReading]>([
    ['tokens', fed('input_ids', 'input_ids', { least: 0, largest: 50_256 })],
    ['a mask', fed('attention_mask', 'attention_mask', { least: 0, largest: 1 })],
    ['a mask that is ones throughout', fed('attention_mask', 'attention_mask', { least: 1, largest: 1 })],
    ['token types', fed('token_type_ids', 'token_type_ids', { least: 0, largest: 1 })],
    ['features', { ...fed('input_ids', 'x', { least: 0, largest: 1 }), range: undefined as never }],
  ])('%s in their own place give none', (_, input) => {
    expect(warnings({ inputs: [input] })).toEqual([]);
  });

  test('a model that guesses is not worse than guessing', () => {
    expect(
      warnings({
        whole: { m: 1.6095 },
        readings: [reading({ kind: 'cross-entropy', guessing: 1.6094, classCount: 5 })],
      }),
    ).toEqual([]);
  });

  test('a figure worse than guessing is doubted, and one that is only odd is not', () => {
    const worse = describeExamination(examined({ readings: [reading({ guessing: 1 })] }));
    expect(worse.doubts).toEqual([expect.stringMatching(/worse than guessing/)]);
    expect(worse.warnings).toEqual(expect.arrayContaining([...worse.doubts]));
    expect(describeExamination(examined({ rows: 1, readings: [reading({ guessing: 5 })] })).doubts).toEqual([]);
  });

  test('a sound set gives none, and the spread over halves stands among what was understood', () => {
    const sound = examined({ readings: [reading({ guessing: 5 })] });
    expect(describeExamination(sound)).toEqual({
      doubts: [],
      understood: [
        '4 rows in 2 batches; fed: .',
        '"m": mse of o [4], 4 values; 2 (5 for guessing).',
        'On the even and the odd batches: "m" 1 and 3 (100 % apart).',
      ],
      warnings: [],
    });
  });

  test('a set of one batch has no spread to tell', () => {
    const { understood } = describeExamination({
      ...examined({ readings: [] }),
      batchCount: 1,
      halves: undefined as never,
    });
    expect(understood.at(-1)).toMatch(/one batch alone/);
  });
});

describe('observedMetrics', () => {
  test('are those that outputs and labels allow besides the requested ones, each once', () => {
    const metrics: MetricSpec[] = [
      { name: 'ppl', kind: 'perplexity', output: 'logits', labels: 'y' },
      { name: 'agreement', kind: 'mse', output: 'score', labels: 'target' },
    ];
    expect(observedMetrics({ metrics })).toEqual([
      { name: 'accuracy', kind: 'accuracy', output: 'logits', labels: 'y' },
      { name: 'kl-divergence', kind: 'kl-divergence', output: 'logits', labels: 'y' },
      { name: 'agreement:logits', kind: 'agreement', output: 'logits', labels: 'y' },
      { name: 'pearson', kind: 'pearson', output: 'score', labels: 'target' },
      { name: 'deviation', kind: 'deviation', output: 'score', labels: 'target' },
    ]);
  });
});
