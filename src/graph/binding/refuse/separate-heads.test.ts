import { expect, test } from 'vitest';
import { buildModel, external, node, value } from '../../onnx/build-model.ts';
import { describeGraph } from '../../describe-graph.ts';
import type { CheckpointTensor } from '../../weight-binding.ts';
import { pairByHeaders } from '../pair/pair-by-headers.ts';
import { refuseSeparateHeads, separateHeads } from './separate-heads.ts';

/** One table for tokens and logits, as in an export of a tied model. */
const tiedGraph = describeGraph(
  buildModel({
    inputs: [value('ids', ['N'], 'I64')],
    outputs: [value('logits', ['N', 8])],
    initializers: [external('wte.weight', [8, 4])],
    nodes: [
      node('Gather', ['wte.weight', 'ids'], ['x']),
      node('Transpose', ['wte.weight'], ['turned']),
      node('MatMul', ['x', 'turned'], ['logits']),
    ],
  }),
);
const binding = { 'wte.weight': { tensor: 'wte.weight', transpose: false } };
const table: CheckpointTensor = { name: 'wte.weight', dtype: 'F32', shape: [8, 4] };
const tensor = (name: string, shape: readonly number[] = [8, 4]): CheckpointTensor => ({ name, dtype: 'F32', shape });

test.each<[string, CheckpointTensor, object[]]>([
  ['an output layer of its own', tensor('lm_head.weight'), [{ tied: 'wte.weight', head: 'lm_head.weight' }]],
  ['one of another shape', tensor('lm_head.weight', [9, 4]), []],
  ['an average of the embedding', tensor('ema.wte.weight'), []],
])('%s with a tied graph', (_, unused, expected) => {
  expect(separateHeads(pairByHeaders({ graph: tiedGraph, tensors: [table, unused] }), binding)).toEqual(expected);
});

test('a head of other bytes is refused with both names; a copy of the embedding is not', () => {
  const suspects = [{ tied: 'wte.weight', head: 'lm_head.weight' }];
  expect(() => refuseSeparateHeads(suspects, new Set(['lm_head.weight']))).toThrow(
    expect.objectContaining({
      code: 'graph-missing-weights',
      message: expect.stringMatching(
        /"wte.weight" both as embedding and as output layer.*"lm_head.weight", with other numbers/,
      ),
    }),
  );
  refuseSeparateHeads(suspects, new Set());
});
