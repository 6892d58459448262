import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEvaluator } from '../../evaluate/create-evaluator.ts';
import { EvalFiles, f32, i64 } from '../../evaluate/eval-files.test-support.ts';
import type { Evaluator } from '../../evaluate/evaluator.ts';
import { buildModel, external, intAttribute, node, value } from '../../graph/onnx/build-model.ts';
import type { BoundGraph } from '../eval-set/bind-graph.ts';
import { QualityGate } from './quality-gate.ts';

/** Longest wait for a child to start and answer on a busy machine. */
const testTimeoutMs = 60_000;

let folder: string;
let evaluator: Evaluator;
let files: EvalFiles;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firn-gate-'));
  files = new EvalFiles(folder);
  evaluator = createEvaluator({ parallel: 1, deadlineMs: 30_000, memoryMaxBytes: 2 ** 30 });
});

afterAll(async () => {
  await evaluator.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Answers with the class of the input, as probabilities or as logits. */
function gateOf(output: 'logits' | 'probabilities'): QualityGate {
  const graph = buildModel({
    inputs: [value('x', ['N', 3])],
    outputs: [value(output, ['N', 3])],
    initializers: [external('w', [3, 3])],
    nodes: [
      node('MatMul', ['x', 'w'], [output === 'logits' ? 'logits' : 'raw']),
      ...(output === 'logits' ? [] : [node('Softmax', ['raw'], [output], [intAttribute('axis', -1)])]),
    ],
  });
  const evalSet = {
    graphPath: files.write(graph),
    batchesPath: files.writeTensors({ x: f32([3, 3], 1, 0, 0, 0, 1, 0, 0, 0, 1), y: i64([3], 0, 1, 2) }),
    spec: { inputs: { x: 'x' }, metrics: [{ name: 'right', kind: 'accuracy', output, labels: 'y' } as const] },
  };
  const bound = { evalSet, binding: { w: { tensor: 'w', transpose: false } } } as unknown as BoundGraph;
  return new QualityGate(bound, evaluator, { evalBatches: 'all', device: 'cpu', referencePath: files.path() });
}

describe('observed metrics', { timeout: testTimeoutMs }, () => {
  test.each([
    ['logits', ['agreement', 'cross-entropy', 'kl-divergence']],
    ['probabilities', ['agreement']],
  ] as const)('of %s is %j, before and after', async (output, kinds) => {
    const gate = gateOf(output);
    const weights = [files.writeTensors({ w: f32([3, 3], 4, 0, -1, 0, 4, 0, 0, -2, 4) })];
    const { baseline } = await gate.examine(weights);
    expect(gate.observedMetrics.map(({ kind }) => kind).sort()).toEqual(kinds);
    expect(Object.keys(baseline.observed!).sort()).toEqual(kinds);
    const { whole, observed } = await gate.evaluateAll(weights);
    expect([whole, Object.keys(observed!).sort(), observed!['agreement']]).toEqual([{ right: 1 }, kinds, 1]);
  });
});
