import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EvalSetSpec, MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { buildModel, external, floats, integers, node, value } from '../../graph/onnx/build-model.ts';
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
  folder = mkdtempSync(join(tmpdir(), 'firn-check-'));
  files = new EvalFiles(folder);
  evaluator = createEvaluator({ parallel: 1, deadlineMs: 30_000, memoryMaxBytes: 2 ** 30 });
});

afterAll(async () => {
  await evaluator.close();
  rmSync(folder, { recursive: true, force: true });
});

const rowCount = 7;
/** Two rows at once, so that the last batch has one. */
const batchRows = 2;
const vocabulary = 6;

/** logits = w[ids] + bias, with ids [N], bias [N, 3]; with `fills`, NaN in bias counts as 0. */
function graphOf(fills: boolean): Uint8Array {
  const fill = [node('IsNaN', ['bias'], ['lacking']), node('Where', ['lacking', 'zero', 'bias'], ['filled'])];
  return buildModel({
    inputs: [value('ids', ['N'], 'I64'), value('bias', ['N', 3])],
    outputs: [value('logits', ['N', 3])],
    initializers: [external('w', [vocabulary, 3]), floats('zero', [], [0])],
    nodes: [
      node('Gather', ['w', 'ids'], ['looked_up']),
      ...(fills ? fill : []),
      node('Add', ['looked_up', fills ? 'filled' : 'bias'], ['logits']),
    ],
  });
}

const filledWith = (count: number, at: Readonly<Record<number, number>>): number[] =>
  Array.from({ length: count }, (_, index) => at[index] ?? 0);
const ids = (at: Readonly<Record<number, number>>): Column => i64([rowCount], ...filledWith(rowCount, at));
const wide = (at: Readonly<Record<number, number>>): Column => f32([rowCount, 3], ...filledWith(3 * rowCount, at));

interface Case {
  readonly metric?: Partial<MetricSpec>;
  readonly columns?: Readonly<Record<string, Column>>;
  readonly spec?: Partial<EvalSetSpec>;
  readonly graph?: Uint8Array;
}

function evalSet({ metric = {}, columns = {}, spec = {}, graph = graphOf(false) }: Case): LocalEvalSet {
  return {
    graphPath: files.write(graph),
    batchesPath: files.writeTensors({ ids: ids({}), bias: wide({}), y: ids({}), ...columns }),
    spec: {
      inputs: { ids: 'ids', bias: 'bias' },
      metrics: [{ name: 'mine', kind: 'cross-entropy', output: 'logits', labels: 'y', ...metric }],
      batchRows,
      ...spec,
    },
  };
}

describe('a set that is wrong in a later batch alone', { timeout: testTimeoutMs }, () => {
  test.each<[string, Case, string, RegExp]>([
    [
      'a label that is no class',
      { columns: { y: ids({ 5: 3 }) } },
      'eval-label-mismatch',
      /"mine".*Label 3 at row 5 .* of "y" \(I64 \[7\]\) is not one of the 3 classes/,
    ],
    [
      'padding that nothing ignores',
      { columns: { y: ids({ 6: -100 }) } },
      'eval-label-mismatch',
      /row 6 .*"ignoreLabel": -100/,
    ],
    [
      'a label to mask by',
      { metric: { kind: 'agreement' }, columns: { y: ids({ 3: 9 }) } },
      'eval-label-mismatch',
      /Label 9 at row 3/,
    ],
    [
      'a probability',
      {
        columns: {
          y: f32([rowCount, 3], ...Array.from({ length: rowCount }, (_, row) => [1, row === 4 ? 1 : 0, 0]).flat()),
        },
        spec: { labels: 'probabilities' },
      },
      'eval-label-mismatch',
      /add up to 2\.00000, the first at row 4/,
    ],
    [
      'a binary target',
      { metric: { kind: 'binary-cross-entropy' }, columns: { y: wide({ 20: 2 }) } },
      'eval-label-mismatch',
      /Label 2 at position 2 of row 6/,
    ],
    [
      'a target that is NaN',
      { metric: { kind: 'mse' }, columns: { y: wide({ 19: Number.NaN }) } },
      'eval-label-mismatch',
      /Label NaN at position 1 of row 6 .* of "y"/,
    ],
    [
      'a target that is infinite',
      { metric: { kind: 'pearson' }, columns: { y: wide({ 9: Infinity }) } },
      'eval-label-mismatch',
      /Label Infinity at position 0 of row 3/,
    ],
    [
      'labels that are all ignored',
      {
        columns: { y: ids(Object.fromEntries(Array.from({ length: rowCount }, (_, row) => [row, -1]))) },
        spec: { ignoreLabel: -1 },
      },
      'eval-label-mismatch',
      /Labels "y" \(I64 \[7\]\) count nowhere: "ignoreLabel": -1/,
    ],
    [
      'an input that is NaN',
      { columns: { bias: wide({ 13: Number.NaN }) } },
      'eval-input-mismatch',
      /Input "bias" is fed NaN, first in row 4 .* of "bias".* output "logits" is NaN/,
    ],
    ['an index beyond the table', { columns: { ids: ids({ 5: vocabulary }) } }, 'eval-input-mismatch', /Gather.*6/],
    [
      'an index before the table',
      { columns: { ids: ids({ 5: -vocabulary - 1 }) } },
      'eval-input-mismatch',
      /Gather.*-7/,
    ],
    [
      'a last batch that the graph does not take',
      {
        graph: buildModel({
          inputs: [value('ids', ['N'], 'I64'), value('bias', ['N', 3])],
          outputs: [value('logits', ['N', 3])],
          initializers: [external('w', [vocabulary, 3]), integers('shape', [2], [2, 3])],
          nodes: [
            node('Gather', ['w', 'ids'], ['looked_up']),
            node('Add', ['looked_up', 'bias'], ['sum']),
            node('Reshape', ['sum', 'shape'], ['logits']),
          ],
        }),
      },
      'eval-input-mismatch',
      /Reshape/,
    ],
  ])('%s is refused without a checkpoint', async (_, wrong, code, sentence) => {
    await expect(evaluator.check(evalSet(wrong))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(sentence),
    });
  });

  test.each<[string, Case]>([
    ['nothing wrong', {}],
    ['labels that are ignored here and there', { columns: { y: ids({ 5: -100 }) }, spec: { ignoreLabel: -100 } }],
    [
      'NaN that the graph takes for missing values',
      { columns: { bias: wide({ 13: Number.NaN }) }, graph: graphOf(true) },
    ],
    ['infinities, as of an attention mask', { columns: { bias: wide({ 13: -Infinity }) } }],
    ['indices from the end', { columns: { ids: ids({ 5: -vocabulary }) } }],
    [
      'targets that are ignored and NaN nowhere',
      { metric: { kind: 'mse' }, columns: { y: wide({ 19: -1 }) }, spec: { ignoreLabel: -1 } },
    ],
  ])('%s is taken', async (_, sound) => {
    await evaluator.check(evalSet(sound));
  });
});
