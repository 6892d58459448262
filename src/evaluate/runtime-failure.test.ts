import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadFailure, runFailure } from './runtime-failure.ts';
import { runtimeWords } from './runtime-words.ts';

const running = (opType: string, name: string, words: string) =>
  new Error(`Non-zero status code returned while running ${opType} node. Name:'${name}' Status Message: ${words}`);
const sources = '/onnxruntime_src/onnxruntime/core';

/** Messages as onnxruntime-node 1.2x words them. */
const runs: readonly [string, Error, string][] = [
  [
    'a shape that cannot be',
    running(
      'Reshape',
      '/attn/Reshape_4',
      `${sources}/providers/cpu/tensor/reshape_helper.h:91 ` +
        'onnxruntime::ReshapeHelper::ReshapeHelper(const onnxruntime::TensorShape&, ' +
        'onnxruntime::TensorShapeVector&, bool) input_shape_size == requested_shape_size was false. The ' +
        'input tensor cannot be reshaped to the requested shape. Input shape:{2,16,64}, requested ' +
        'shape:{2,4,16}\n',
    ),
    'The runtime fails at node "/attn/Reshape_4" (Reshape): The input tensor cannot be reshaped to ' +
      'the requested shape. Input shape:{2,16,64}, requested shape:{2,4,16}.',
  ],
  [
    'an index beyond a table',
    running(
      'Gather',
      '/wte/Gather',
      'indices element out of data bounds, idx=9 must be within the inclusive range [-4,3]',
    ),
    'The runtime fails at node "/wte/Gather" (Gather): indices element out of data bounds, idx=9 ' +
      'must be within the inclusive range [-4,3].',
  ],
  [
    'matrices that do not fit',
    running('MatMul', '/fc/MatMul', 'matmul_helper.h:59 Compute MatMul dimension mismatch'),
    'The runtime fails at node "/fc/MatMul" (MatMul): MatMul dimension mismatch.',
  ],
  [
    'an operator without a name',
    running(
      'Add',
      '',
      `${sources}/providers/cpu/math/element_wise_ops.h:563 void ` +
        'onnxruntime::BroadcastIterator::Init(ptrdiff_t, ptrdiff_t) axis == 1 || axis == largest was ' +
        'false. Attempting to broadcast an axis by a dimension other than 1. 7 by 64\n',
    ),
    'The runtime fails at an operator without a name (Add): Attempting to broadcast an axis by a ' +
      'dimension other than 1. 7 by 64.',
  ],
  [
    'attention with heads that do not divide',
    running(
      'GroupQueryAttention',
      '/attn/GQA',
      'num_heads must be a multiple of kv_num_heads. Got num_heads % kv_num_heads == 1',
    ),
    'The runtime fails at node "/attn/GQA" (GroupQueryAttention): num_heads must be a multiple of ' +
      'kv_num_heads. Got num_heads % kv_num_heads == 1.',
  ],
  [
    'inputs that do not fit',
    new Error(
      'Got invalid dimensions for input: x for the following indices\n index: 1 Got: 5 Expected: 4\n ' +
        'Please fix either the inputs/outputs or the model.',
    ),
    'The batches do not fit the inputs of the graph: Got invalid dimensions for input: x for the ' +
      'following indices index: 1 Got: 5 Expected: 4 Please fix either the inputs/outputs or the model.',
  ],
  ['nothing', new Error(''), 'The graph fails when it is run on the batches.'],
];

const loads: readonly [string, string, string][] = [
  [
    'an opset too new',
    `${sources}/graph/model_load_utils.h:46 void ` +
      'onnxruntime::model_load_utils::ValidateOpsetForDomain(const ' +
      'std::unordered_map<std::__cxx11::basic_string<char>, int>&, const ' +
      'onnxruntime::logging::Logger&, bool, const std::string&, int) ONNX Runtime only *guarantees* ' +
      'support for models stamped with official released onnx opset versions. Opset 99 is under ' +
      'development and support for this is limited. The operator schemas and or other functionality ' +
      'may change before next ONNX release and in this case ONNX Runtime will not guarantee backward ' +
      'compatibility. Current official support for domain ai.onnx is till opset 26.\n',
    'The runtime cannot load the graph: The graph uses opset 99 of ai.onnx, and the newest that the ' +
      'runtime supports is 26; export it with `opset_version=26` or less.',
  ],
  [
    'a format too new',
    `${sources}/graph/model.cc:202 onnxruntime::Model::Model(onnx::ModelProto&&, const ` +
      'onnxruntime::PathString&) Unsupported model IR version: 99, max supported IR version: 13\n',
    'The runtime cannot load the graph: The graph has IR version 99, and the newest that the runtime supports is 13.',
  ],
  [
    'an operator that nobody knows',
    'This is an invalid model. In Node, ("/m/Guess", Guess, "", -1) : ("x": tensor(float),) -> ("y": ' +
      'tensor(float),) , Error No Op registered for Guess with domain_version of 20',
    'The runtime cannot load the graph at node "/m/Guess" (Guess): No Op registered for Guess with ' +
      'domain_version of 20.',
  ],
  [
    'an operator of an unknown domain',
    'Fatal error: my.ops:Guess(-1) is not a registered function/op',
    'The runtime cannot load the graph: my.ops:Guess(-1) is not a registered function/op.',
  ],
  [
    'types that do not fit',
    'Type Error: Type parameter (T) of Optype (Add) bound to different types (tensor(float) and ' +
      'tensor(int64) in node (/m/Add).',
    'The runtime cannot load the graph: Type Error: Type parameter (T) of Optype (Add) bound to ' +
      'different types (tensor(float) and tensor(int64) in node (/m/Add).',
  ],
  [
    'a signature and nothing more',
    `${sources}/graph/graph.cc:1 void onnxruntime::Graph::operator()(int, bool) const`,
    'The runtime cannot load the graph.',
  ],
];

describe('an error of the runtime is reported in its own words, with operator and node', () => {
  test.each(runs)('at a run: %s', (_, cause, message) => {
    expect(runFailure(cause)).toMatchObject({ code: 'eval-input-mismatch', message, detail: cause.message });
  });

  test.each(loads)('at loading: %s', (_, text, message) => {
    expect(loadFailure(new Error(text))).toMatchObject({ code: 'graph-invalid', message, detail: text });
  });

  test('memory that ran out is memory, whatever operator wanted it', () => {
    expect(runFailure(running('MatMul', 'm', 'std::bad_alloc'))).toMatchObject({ code: 'eval-memory' });
    expect(loadFailure(new Error('Failed to allocate memory'))).toMatchObject({ code: 'eval-memory' });
  });

  test('no source path or address gets out, and the sentence is bounded to one line', () => {
    const parts = fc.constantFrom(
      `${sources}/a.cc:12 `,
      'void ns::f(int, g(h)) ',
      ' was false. ',
      'x == y',
      '0xdeadBEEF ',
      '\n',
      "Name:'",
      'Status Message: ',
      'In Node, ("',
      ' , Error ',
      'words ',
      '('.repeat(50),
      'long'.repeat(300),
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (texts) => {
        const { sentence } = runtimeWords(texts.join(''));
        expect(sentence).not.toMatch(/onnxruntime_src|0xdead|\n/i);
        expect(sentence.length).toBeLessThan(410);
      }),
    );
  });
});
