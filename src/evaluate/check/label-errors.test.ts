import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EvalSetSpec, MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { buildModel, external, node, value } from '../../graph/onnx/build-model.ts';
import { createEvaluator } from '../create-evaluator.ts';
import { EvalFiles, f32, i64, type Column } from '../eval-files.test-support.ts';
import type { LocalEvalSet } from '../evaluation-request.ts';
import type { Evaluator } from '../evaluator.ts';

/** Longest wait for a child to start and answer on a busy machine. */
const testTimeoutMs = 60_000;

let folder: string;
let evaluator: Evaluator;
let files: EvalFiles;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firn-labels-'));
  files = new EvalFiles(folder);
  evaluator = createEvaluator({ parallel: 1, deadlineMs: 30_000, memoryMaxBytes: 2 ** 30 });
});

afterAll(async () => {
  await evaluator.close();
  rmSync(folder, { recursive: true, force: true });
});

/** logits = x w, with x [N, T, 3], w [3, 3]. */
const graph = buildModel({
  inputs: [value('x', ['N', 'T', 3])],
  outputs: [value('logits', ['N', 'T', 3])],
  initializers: [external('w', [3, 3])],
  nodes: [node('MatMul', ['x', 'w'], ['logits'])],
});
const rowCount = 5;
const length = 2;
const zeros = (shape: number[], at: Readonly<Record<number, number>> = {}): number[] =>
  Array.from({ length: shape.reduce((product, dim) => product * dim, 1) }, (_, index) => at[index] ?? 0);
const floatsAt = (shape: number[], at?: Readonly<Record<number, number>>): Column => f32(shape, ...zeros(shape, at));
const integersAt = (shape: number[], at?: Readonly<Record<number, number>>): Column => i64(shape, ...zeros(shape, at));

function evalSet(
  metric: Partial<MetricSpec>,
  columns: Readonly<Record<string, Column>>,
  spec: Partial<EvalSetSpec> = {},
): LocalEvalSet {
  const metrics: MetricSpec[] = [
    { name: 'mine', kind: 'cross-entropy', output: 'logits', labels: 'answers', classAxis: 'last', ...metric },
  ];
  return {
    graphPath: files.write(graph),
    batchesPath: files.writeTensors({ x: floatsAt([rowCount, length, 3]), ...columns }),
    spec: { inputs: { x: 'x' }, metrics, batchRows: 2, ...spec },
  };
}

/** A pattern in parts that follow each other. */
const inOne = (...parts: readonly RegExp[]): RegExp => new RegExp(parts.map(({ source }) => source).join(''));

describe('labels that do not fit', { timeout: testTimeoutMs }, () => {
  test.each<[string, Partial<MetricSpec>, Column, RegExp, Partial<EvalSetSpec>?]>([
    [
      'by their shape',
      {},
      integersAt([5, 4]),
      inOne(
        /^Metric "mine", of output "logits": Labels "answers" \(I64 \[5, 4\]\) do not fit /,
        /an output of shape \[5, 2, 3\]: class indices have shape \[5, 2\]/,
      ),
    ],
    [
      'as one-hot',
      {},
      integersAt([5, 2, 3]),
      inOne(
        /Labels "answers" \(I64 \[5, 2, 3\]\) have the shape of the logits, .* /,
        /Otherwise class indices have shape \[5, 2\]\./,
      ),
    ],
    [
      'as probabilities',
      {},
      integersAt([5, 2]),
      /Labels "answers" \(I64 \[5, 2\]\) are probabilities by the spec .* the shape of the logits, \[5, 2, 3\]\./,
      { labels: 'probabilities' },
    ],
    [
      'as targets',
      { kind: 'mse' },
      floatsAt([5, 2]),
      inOne(
        /Labels "answers" \(F32 \[5, 2\]\) do not fit /,
        /an output of shape \[5, 2, 3\]: targets have the shape of the output\./,
      ),
    ],
    [
      'as a class in the first batch',
      {},
      integersAt([5, 2], { 1: 3 }),
      inOne(
        /Label 3 at position 1 of row 0 \(counted from 0\) of "answers" \(I64 \[5, 2\]\) /,
        /is not one of the 3 classes of the output \(0 to 2\)\./,
      ),
    ],
    [
      'by their number of rows',
      {},
      integersAt([4, 2]),
      inOne(
        /^Labels "answers" \(I64 \[4, 2\]\) have 4 rows where "x" \(F32 \[5, 2, 3\]\) has 5: /,
        /all inputs and labels have the same number of rows/,
      ),
    ],
    [
      'by their name',
      { labels: 'labels' },
      integersAt([5, 2]),
      inOne(
        /^Metric "mine" reads labels "labels", which the batches file does not have; /,
        /it has "x" \(F32 \[5, 2, 3\]\), "answers" \(I64 \[5, 2\]\)\./,
      ),
    ],
    [
      'by their type',
      {},
      { dtype: 'F8_E4M3', shape: [5, 2], data: new Uint8Array(10) },
      inOne(
        /^Labels "answers" \(F8_E4M3 \[5, 2\]\) of metric "mine" have a type that cannot be labels\. /,
        /Kind cross-entropy takes class indices/,
      ),
    ],
  ])('%s are described by their name, type and shape in the file', async (_, metric, answers, sentence, spec) => {
    const refusal = { code: 'eval-label-mismatch', message: expect.stringMatching(sentence) };
    await expect(evaluator.check(evalSet(metric, { answers }, spec))).rejects.toMatchObject(refusal);
  });

  test.each<[string, Partial<MetricSpec>, Column, RegExp, Partial<EvalSetSpec>?]>([
    [
      'a class',
      {},
      integersAt([5, 2], { 9: 3 }),
      /Label 3 at position 1 of row 4 \(counted from 0\) of "answers" \(I64 \[5, 2\]\) is not one of the 3 classes/,
    ],
    ['a class that is no number', {}, floatsAt([5, 2], { 6: Number.NaN }), /Label NaN at position 0 of row 3 /],
    [
      'a probability',
      {},
      floatsAt([5, 2, 3], { 0: 1, 3: 1, 6: 1, 9: 1, 12: 1, 15: 2 }),
      /A label of 2 at position 1 of row 2 \(counted from 0\) of "answers" \(F32 \[5, 2, 3\]\) is no probability/,
      { labels: 'probabilities' },
    ],
    [
      'a binary target',
      { kind: 'binary-accuracy' },
      floatsAt([5, 2, 3], { 29: 7 }),
      /Label 7 at position 5 of row 4 \(counted from 0\) of "answers" .* is no binary target/,
    ],
  ])(
    '%s of a later batch is reported with its row during the measurement',
    async (_, metric, answers, sentence, spec) => {
      const binding = { w: { tensor: 'w', transpose: false } };
      const request = {
        evalSet: evalSet(metric, { answers }, spec),
        binding,
        weightPaths: [files.writeTensors({ w: floatsAt([3, 3]) })],
      };
      await expect(evaluator.evaluate(request)).rejects.toMatchObject({
        code: 'eval-label-mismatch',
        message: expect.stringMatching(sentence),
      });
    },
  );
});
