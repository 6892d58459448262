import { expect, test } from 'vitest';
import type { Dtype } from '../../checkpoint/dtype.ts';
import { buildModel, external, floats, node, value } from '../../graph/onnx/build-model.ts';
import { describeGraph } from '../../graph/describe-graph.ts';
import { bindingWarnings } from './binding-warnings.ts';

const graph = describeGraph(
  buildModel({
    inputs: [value('x', ['N', 2])],
    outputs: [value('y', ['N', 2])],
    initializers: [external('lm_head.weight', [2, 2]), floats('proven.weight', [2, 2], [1, 2, 3, 4])],
    nodes: [node('MatMul', ['x', 'lm_head.weight'], ['y'])],
  }),
);
const report = {
  nameCount: 1,
  mapped: [],
  tied: [],
  byContent: [],
  transposed: [],
  declared: [],
  unused: [],
  leftOut: [],
};
const file = (...tensors: readonly (readonly [name: string, dtype: Dtype])[]) =>
  ({ role: 'model', layout: { tensors: tensors.map(([name, dtype]) => ({ name, dtype, shape: [2, 2] })) } }) as never;

test('a sound binding gives no warning, and neither does a tie that bytes prove', () => {
  const proven = { ...report, tied: [{ initializer: 'proven.weight', tensor: 'wte.weight' }] };
  expect(
    bindingWarnings({ graph, report: proven }, [file(['wte.weight', 'F32'], ['count', 'I64'])], new Set(['count'])),
  ).toEqual([]);
});

test('an assumed tie, unused tensors and declared weights are warnings', () => {
  const doubtful = {
    ...report,
    tied: [{ initializer: 'lm_head.weight', tensor: 'wte.weight' }],
    declared: ['fc.weight', 'rotary.inv_freq'],
  };
  const warnings = bindingWarnings(
    { graph, report: doubtful },
    [file(['wte.weight', 'F32'], ['lora_A.weight', 'F32'])],
    new Set(['lora_A.weight']),
  );
  expect(warnings).toEqual([
    expect.stringMatching(/declares "fc.weight" as constants/),
    expect.stringMatching(/has no "lm_head.weight", so "wte.weight" is measured in its place/),
    expect.stringMatching(/does not use these tensors of the checkpoint, so no metric sees them: lora_A.weight/),
  ]);
});

test.each([
  ['student.', 'teacher.', ['is filled from the checkpoint\'s "teacher."']],
  ['m.student.', 'module.teacher.', ['is filled from']],
  ['m.', 'module.', []],
  ['model.', 'base_model.model.', []],
  ['', 'teacher.', []],
])('a prefix %j of the graph for %j of the checkpoint', (prefix, checkpoint, texts) => {
  const warnings = bindingWarnings(
    { graph, report: { ...report, prefix: { graph: prefix, checkpoint, count: 2 } } },
    [],
    new Set(),
  );
  expect(warnings).toEqual(texts.map((text) => expect.stringContaining(text)));
});

test('a warning names another set of tensors that would fill the graph, and the entry that selects it', () => {
  const rival = { graph: '', checkpoint: 'ema_model.', leaveOut: '"unused":["model.*"]' };
  const warnings = bindingWarnings(
    { graph, report: { ...report, prefix: { graph: '', checkpoint: 'model.', count: 2, rival } } },
    [],
    new Set(),
  );
  expect(warnings).toEqual([expect.stringMatching(/"model\.".*"ema_model\.".*"unused":\["model\.\*"\]/)]);
});
