import { describe, expect, test } from 'vitest';
import { external, floats, node, value } from '../../onnx/build-model.ts';
import { bindModel, couldFillModel, numbers, turned, type TestCheckpoint } from '../bind-model.test-support.ts';
import { describeBinding } from '../describe/describe-binding.ts';

const table = numbers(18);
const wte = 'transformer.wte.weight';
const checkpoint: TestCheckpoint = { [wte]: [[6, 3], table], 'ln.weight': [[3], numbers(3, 2)] };
const outputs = [value('y', ['n', 6])];
const norm = floats('ln.weight', [3], numbers(3, 2));

/** A language model: embedding, norm, output layer. */
function languageModel(
  { embedding = wte, head = 'lm_head.weight', isTurned = true },
  initializers: ReturnType<typeof floats>[],
) {
  return {
    nodes: [
      node('Gather', [embedding, 'ids'], ['e']),
      node('Mul', ['e', 'ln.weight'], ['h']),
      ...(isTurned ? [node('Transpose', [head], ['t'])] : []),
      node('MatMul', ['h', isTurned ? 't' : head], ['p']),
      node('Cast', ['p'], ['y']),
    ],
    initializers: [...initializers, norm],
    inputs: [value('ids', ['n'], 'I64')],
    outputs,
  };
}

describe('tied weights are bound', () => {
  test('if the graph has the name that the checkpoint lacks, whatever it stores', async () => {
    for (const stored of [floats('lm_head.weight', [6, 3], numbers(18, 9)), external('lm_head.weight', [6, 3])]) {
      const model = languageModel({ embedding: 'lm_head.weight' }, [stored]);
      const { binding, report } = await bindModel(model, checkpoint);
      expect(binding['lm_head.weight']).toEqual({ tensor: wte, transpose: false });
      expect(describeBinding(report)).toContain(
        `1 weight is tied to a tensor of another name: "lm_head.weight" from "${wte}".`,
      );
      expect(() => couldFillModel(model, checkpoint)).not.toThrow();
    }
  });

  test('if the graph stores both, equal or transposed, from an older checkpoint', async () => {
    const old = numbers(18, 5);
    const turnedModel = languageModel({ head: 'onnx::MatMul_7', isTurned: false }, [
      floats(wte, [6, 3], old),
      floats('onnx::MatMul_7', [3, 6], turned(old, 6, 3)),
    ]);
    expect((await bindModel(turnedModel, checkpoint)).binding['onnx::MatMul_7']).toEqual({
      tensor: wte,
      transpose: true,
    });
    const equalModel = languageModel({}, [floats(wte, [6, 3], old), floats('lm_head.weight', [6, 3], old)]);
    expect((await bindModel(equalModel, checkpoint)).binding['lm_head.weight']).toEqual({
      tensor: wte,
      transpose: false,
    });
    expect(() => couldFillModel(turnedModel, checkpoint)).not.toThrow();
  });

  test("also in bfloat16, in which the checkpoint's bytes differ from the graph's", async () => {
    const model = languageModel({}, [floats(wte, [6, 3], table), floats('lm_head.weight', [6, 3], table)]);
    const { binding } = await bindModel(model, {
      [wte]: [[6, 3], undefined, 'BF16'],
      'ln.weight': [[3], undefined, 'BF16'],
    });
    expect(binding['lm_head.weight']).toEqual({ tensor: wte, transpose: false });
  });

  test.each([true, false])(
    'if the graph leaves both open, transposed by an operator (%s) or stored transposed',
    async (isTurned) => {
      const model = languageModel({ isTurned }, [
        external(wte, [6, 3]),
        external('lm_head.weight', isTurned ? [6, 3] : [3, 6]),
      ]);
      expect((await bindModel(model, checkpoint)).binding['lm_head.weight']).toEqual({
        tensor: wte,
        transpose: !isTurned,
      });
    },
  );
});

test('bytes that two bound weights share tie a third to neither', async () => {
  const same = numbers(12);
  const initializers = ['a', 'b', 'onnx::1'].map((name) => floats(name, [4, 3], same));
  const model = { nodes: [node('Identity', ['x'], ['y'])], initializers, outputs: [] };
  await expect(bindModel(model, { a: [[4, 3]], b: [[4, 3]] })).rejects.toMatchObject({
    message: expect.stringContaining('"onnx::1"'),
  });
});

describe('weights are not taken for tied', () => {
  test.each([
    [
      'that the graph stores with other numbers',
      languageModel({}, [floats(wte, [6, 3], table), floats('lm_head.weight', [6, 3], numbers(18, 5))]),
      checkpoint,
    ],
    [
      'that are all one number',
      languageModel({}, [
        floats(wte, [6, 3], Array<number>(18).fill(0)),
        floats('lm_head.weight', [6, 3], Array<number>(18).fill(0)),
      ]),
      checkpoint,
    ],
    [
      'left open, if another tensor of that size is unused',
      languageModel({}, [external(wte, [6, 3]), external('lm_head.weight', [6, 3])]),
      { ...checkpoint, 'head.weight': [[6, 3]] } as const,
    ],
    [
      'left open, if the product is not the output',
      {
        ...languageModel({}, [external(wte, [6, 3]), external('lm_head.weight', [6, 3])]),
        outputs: [value('h', ['n', 3])],
      },
      checkpoint,
    ],
    [
      'of one name, if two tensors fit',
      languageModel({ embedding: 'lm_head.weight' }, [external('lm_head.weight', [6, 3])]),
      { ...checkpoint, 'wpe.weight': [[6, 3]] } as const,
    ],
    [
      "of one name, if the tensor's name is unrelated",
      languageModel({ embedding: 'lm_head.weight' }, [external('lm_head.weight', [6, 3])]),
      { adapter: [[6, 3]], 'ln.weight': [[3]] } as const,
    ],
  ])('%s', async (_, model, tensors: TestCheckpoint) => {
    await expect(bindModel(model, tensors)).rejects.toMatchObject({
      code: 'graph-missing-weights',
      message: expect.stringContaining('"lm_head.weight"'),
    });
  });
});
