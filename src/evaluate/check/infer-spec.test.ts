import { describe, expect, test } from 'vitest';
import type { Dtype } from '../../checkpoint/dtype.ts';
import { inferSpec, type BatchColumns } from './infer-spec.ts';

const column = (name: string, dtype: Dtype, ...shape: number[]) => ({ name, dtype, shape });
const graph = (inputs: readonly string[], outputs: readonly string[]) => ({
  inputs: inputs.map((name) => ({ name, dtype: 'I64' as const, dims: undefined })),
  outputs: outputs.map((name) => ({ name, dtype: 'F32' as const, dims: undefined })),
});
const ids = column('input_ids', 'I64', 4, 8);

describe('inferSpec', () => {
  test.each<[string, readonly string[], readonly string[], BatchColumns, object]>([
    [
      'whole-numbered labels are classes',
      ['input_ids'],
      ['logits'],
      [ids, column('labels', 'I64', 4, 8)],
      { name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'labels' },
    ],
    [
      'real labels are values',
      ['input_ids'],
      ['score'],
      [ids, column('target', 'F32', 4)],
      { name: 'mse', kind: 'mse', output: 'score', labels: 'target' },
    ],
    [
      'without labels the uploaded model is compared with',
      ['input_ids'],
      ['hidden', 'logits'],
      [ids],
      { name: 'kl-divergence', kind: 'kl-divergence', output: 'logits' },
    ],
  ])('%s', (_, inputs, outputs, columns, metric) => {
    expect(inferSpec(graph(inputs, outputs), columns)).toEqual({
      inputs: { input_ids: 'input_ids' },
      metrics: [metric],
    });
  });

  test('one input of another name is fed from the one tensor that is left', () => {
    expect(inferSpec(graph(['idx'], ['logits']), [ids, column('labels', 'I64', 4)]).inputs).toEqual({
      idx: 'input_ids',
    });
  });

  test('a tensor called labels that the graph takes as an input is no label', () => {
    const spec = inferSpec(graph(['input_ids', 'labels'], ['loss']), [ids, column('labels', 'I64', 4)], {
      kind: 'loss',
    });
    expect(spec).toEqual({
      inputs: { input_ids: 'input_ids', labels: 'labels' },
      metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }],
    });
  });

  test.each<[string, readonly string[], BatchColumns, RegExp]>([
    [
      'two inputs are not in the batches',
      ['a', 'b'],
      [ids],
      /no tensor for graph input "a", "b"; they hold "input_ids".*"inputs" in a spec/,
    ],
    [
      'one of several inputs is not in the batches',
      ['input_ids', 'attention_mask'],
      [ids, column('token_type_ids', 'I64', 4, 8)],
      /graph input "attention_mask"/,
    ],
    ['two tensors might be the one input', ['a'], [ids, column('mask', 'I64', 4)], /graph input "a"/],
  ])('asks where %s', (_, inputs, columns, sentence) => {
    expect(() => inferSpec(graph(inputs, ['logits']), columns)).toThrow(
      expect.objectContaining({ code: 'eval-input-mismatch', message: expect.stringMatching(sentence) }),
    );
  });

  test('an output called loss is one', () => {
    expect(inferSpec(graph(['input_ids'], ['loss']), [ids]).metrics).toEqual([
      { name: 'loss', kind: 'loss', output: 'loss' },
    ]);
  });

  test('a kind that needs labels is refused without', () => {
    expect(() => inferSpec(graph(['input_ids'], ['logits']), [ids], { kind: 'accuracy' })).toThrow(
      /Kind accuracy needs labels/,
    );
  });
});
