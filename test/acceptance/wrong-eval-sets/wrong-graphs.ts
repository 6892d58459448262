import {
  classifierBatches,
  classifierFile,
  classifierRows,
  classifierShapes,
  classifierSpec,
  classifierWeights,
  logitsOf,
  measure,
} from '../classifier.ts';
import {
  elementTypes,
  integerAttribute,
  integersAttribute,
  node,
  onnxFile,
  openInitializer,
  storedInitializer,
  value,
} from '../onnx-file.ts';
import { f32Tensor, i64Tensor, safetensorsFile, type FileTensor } from '../safetensors-file.ts';
import { classifierVariant } from './classifier-variants.ts';
import { refused, unbound, type Mistake } from './mistake.ts';

const weights = classifierWeights(1);
const rows = classifierRows(weights);
const count = rows.labels.length;
const shared = {
  spec: classifierSpec,
  batches: classifierBatches(rows),
  files: { 'model.safetensors': classifierFile(weights) },
  truth: measure(weights, rows),
};
const labels = i64Tensor([count], rows.labels);

const features = 8;
/** A row of the last batch. */
const oddAt = 300;
const odd = (value: number): Float32Array =>
  Float32Array.from({ length: 40 * features }, (_, at) => (at === oddAt ? value : Math.sin(at)));
const plain = Float32Array.from({ length: 40 * features }, (_, at) => Math.cos(at));
/** y = x w, measured by the squared error. */
const linear = {
  spec: { inputs: { x: 'x' }, metrics: [{ name: 'error', kind: 'mse', output: 'y', labels: 'target' }] },
  graph: onnxFile({
    inputs: [value('x', ['rows', features])],
    outputs: [value('y', ['rows', features])],
    initializers: [openInitializer('w', [features, features])],
    nodes: [node('MatMul', ['x', 'w'], ['y'])],
  }),
  files: {
    'model.safetensors': safetensorsFile({ w: f32Tensor([features, features], odd(0).slice(0, features * features)) }),
  },
};
const linearBatches = (x: Float32Array, target: Float32Array): Buffer =>
  safetensorsFile({ x: f32Tensor([40, features], x), target: f32Tensor([40, features], target) });
/** The same model, with a graph that computes the loss. */
const lossModel = {
  ...linear,
  spec: { inputs: { x: 'x', target: 'target' }, metrics: [{ name: 'loss', kind: 'loss', output: 'loss' }] },
  batches: linearBatches(plain, odd(0)),
};
const tokenCount = 24;
const tokenWidth = 16;
const maskedRows = 40;
const wave = (count: number): Float32Array => Float32Array.from({ length: count }, (_, at) => Math.sin(at * at));
const maskedTokens = Array.from({ length: maskedRows * 4 }, (_, at) => (at * 7) % tokenCount);
/** Classes from the mean of the tokens that count; each of the two inputs is fed from the other's tensor. */
const maskedModel = {
  spec: {
    inputs: { input_ids: 'attention_mask', attention_mask: 'input_ids' },
    metrics: [{ name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'labels' }],
  },
  graph: maskedGraph(),
  batches: safetensorsFile({
    input_ids: i64Tensor([maskedRows, 4], maskedTokens),
    attention_mask: i64Tensor(
      [maskedRows, 4],
      maskedTokens.map((_, at) => Number(at % 4 < 3)),
    ),
    labels: i64Tensor(
      [maskedRows],
      Array.from({ length: maskedRows }, (_, row) => row % tokenWidth),
    ),
  }),
  files: {
    'model.safetensors': safetensorsFile({
      'embed.weight': f32Tensor([tokenCount, tokenWidth], wave(tokenCount * tokenWidth)),
      'head.weight': f32Tensor([tokenWidth, tokenWidth], wave(tokenWidth * tokenWidth)),
    }),
  },
};
/** A binary label for each value of the classifier's output. */
const yesOrNo = f32Tensor(
  [count, 16],
  Array.from({ length: count * 16 }, (_, at) => at % 2),
);

export const wrongGraphs: readonly Mistake[] = [
  {
    ...shared,
    name: 'a graph that ends in softmax',
    graph: classifierVariant({ end: 'Softmax' }),
    expected: [stopsSoftmax()],
  },
  {
    ...shared,
    name: 'a graph that ends in log-softmax',
    graph: classifierVariant({ end: 'LogSoftmax' }),
    expected: ['right'],
  },
  {
    ...shared,
    name: 'a graph that ends in sigmoid, for yes or no',
    graph: classifierVariant({ end: 'Sigmoid' }),
    spec: {
      inputs: { ids: 'ids' },
      metrics: [{ name: 'loss', kind: 'binary-cross-entropy', output: 'logits', labels: 'labels' }],
    },
    batches: safetensorsFile({ ids: i64Tensor([count, 4], rows.ids), labels: yesOrNo }),
    truth: { loss: yesOrNoLoss() },
    expected: [stopsSoftmax(), { warns: /probabilit/i }],
  },
  {
    ...shared,
    name: 'a float16 graph for float32 weights',
    graph: classifierVariant({ half: true }),
    expected: [{ warns: /F16/ }],
  },
  { ...shared, name: 'a graph of one row at a time', graph: classifierVariant({ rows: 1 }), expected: ['right'] },
  { ...shared, name: 'a graph of a fixed number of rows', graph: classifierVariant({ rows: 48 }), expected: ['right'] },
  {
    ...shared,
    name: 'a graph of a number of rows that does not divide those of the batches',
    graph: classifierVariant({ rows: 50 }),
    expected: [refused('eval-input-mismatch', /50 rows.*192/)],
  },
  {
    ...shared,
    name: 'an operator set that is too new',
    graph: classifierVariant({ opset: 99 }),
    expected: [refused('graph-invalid', /opset|operator set/i)],
  },
  {
    ...shared,
    name: 'an operator set that is too old',
    graph: classifierVariant({ opset: 1 }),
    expected: [refused('graph-invalid', /cannot load the graph: .*implementation for Add\(1\)/)],
  },
  {
    ...shared,
    name: 'the weights in place of the graph',
    graph: classifierFile(weights),
    expected: [refused('graph-invalid', /ONNX/)],
  },
  {
    ...shared,
    name: 'a graph of another model',
    graph: linear.graph,
    expected: [refused('eval-input-mismatch', /"ids"/), refused('metric-unknown', /"logits"/)],
  },
  {
    ...shared,
    name: 'a graph of a larger model with the same names',
    graph: widerGraph(),
    expected: [unbound(/"fc2\.weight"/)],
  },
  {
    ...shared,
    name: 'inputs of floats for tokens',
    graph: classifierVariant(),
    batches: safetensorsFile({ ids: f32Tensor([count, 4], rows.ids), labels }),
    expected: [refused('eval-input-mismatch', /I64.*F32/)],
  },
  {
    ...shared,
    name: 'inputs of 32-bit tokens',
    graph: classifierVariant(),
    batches: safetensorsFile({ ids: i32Tensor([count, 4], rows.ids), labels }),
    expected: ['right'],
  },
  {
    ...shared,
    name: 'tokens beyond the embedding',
    graph: classifierVariant(),
    batches: classifierBatches({ ...rows, ids: rows.ids.map((id) => id + 32) }),
    expected: [refused('eval-input-mismatch', /operator without a name \(Gather\): .*idx=\d+ must be within/)],
  },
  {
    ...shared,
    name: 'a token beyond the embedding in the last row alone',
    graph: classifierVariant(),
    batches: classifierBatches({ ...rows, ids: [...rows.ids.slice(0, -1), 64] }),
    expected: [refused('eval-input-mismatch', /\(Gather\): .*idx=64 must be within/)],
  },
  {
    ...lossModel,
    name: 'a loss of the graph that is a mean',
    graph: lossGraph('ReduceMean'),
    truth: { loss: squaredError(plain, odd(0)) },
    expected: ['right'],
  },
  {
    ...lossModel,
    name: 'a loss of the graph that is a sum',
    graph: lossGraph('ReduceSum'),
    expected: [{ warns: /adds up over rows.*reduction="mean"/ }],
  },
  {
    ...maskedModel,
    name: 'tokens and their mask exchanged',
    expected: [{ warns: /"input_ids" is fed zeros and ones alone/ }],
  },
  {
    ...linear,
    name: 'inputs with a NaN',
    batches: linearBatches(odd(Number.NaN), plain),
    expected: [refused('eval-input-mismatch', /"x"/), { warns: /"x"/ }],
  },
  {
    ...linear,
    name: 'inputs with an infinity',
    batches: linearBatches(odd(Number.POSITIVE_INFINITY), plain),
    expected: [refused('eval-input-mismatch', /"x"/), { warns: /"x"/ }],
  },
  {
    ...linear,
    name: 'targets with a NaN',
    batches: linearBatches(plain, odd(Number.NaN)),
    expected: [
      refused('eval-label-mismatch', /"target"/),
      refused('eval-input-mismatch', /"target"/),
      { warns: /"target"/ },
    ],
  },
];

/** Detected at the eval set if the graph shows it, else from the outputs of the first checkpoint. */
function stopsSoftmax() {
  return { stops: /probabilities/, codes: ['eval-label-mismatch'], at: ['eval set', 'upload', 'job'] } as const;
}

/** The squared error of the linear model, as the graph's own loss. */
function lossGraph(reduction: 'ReduceMean' | 'ReduceSum'): Buffer {
  return onnxFile({
    inputs: [value('x', ['rows', features]), value('target', ['rows', features])],
    outputs: [value('loss', [])],
    initializers: [openInitializer('w', [features, features])],
    nodes: [
      node('MatMul', ['x', 'w'], ['y']),
      node('Sub', ['y', 'target'], ['error']),
      node('Mul', ['error', 'error'], ['squares']),
      node(reduction, ['squares'], ['loss'], [integerAttribute('keepdims', 0)]),
    ],
  });
}

/** Its mean over all values. */
function squaredError(x: Float32Array, target: Float32Array): number {
  const w = odd(0);
  const squares = Array.from(target, (wanted, at) => {
    const row = at - (at % features);
    let y = 0;
    for (let k = 0; k < features; k++) y += x[row + k]! * w[k * features + (at % features)]!;
    return (y - wanted) ** 2;
  });
  return squares.reduce((sum, square) => sum + square, 0) / squares.length;
}

function maskedGraph(): Buffer {
  const counted = [
    node('Cast', ['attention_mask'], ['mask'], [integerAttribute('to', elementTypes.float)]),
    node('Unsqueeze', ['mask', 'last'], ['wide']),
  ];
  return onnxFile({
    inputs: [value('input_ids', ['rows', 4], 'int64'), value('attention_mask', ['rows', 4], 'int64')],
    outputs: [value('logits', ['rows', tokenWidth])],
    initializers: [
      openInitializer('embed.weight', [tokenCount, tokenWidth]),
      openInitializer('head.weight', [tokenWidth, tokenWidth]),
      storedInitializer('last', [1], i64Tensor([1], [2]).bytes, 'int64'),
    ],
    nodes: [
      node('Gather', ['embed.weight', 'input_ids'], ['looked_up']),
      ...counted,
      node('Mul', ['looked_up', 'wide'], ['counting']),
      node('ReduceMean', ['counting'], ['mean'], [integersAttribute('axes', [1]), integerAttribute('keepdims', 0)]),
      node('MatMul', ['mean', 'head.weight'], ['logits']),
    ],
  });
}

/** Like the classifier, with twice as many classes. */
function widerGraph(): Buffer {
  const shapes = { ...classifierShapes, 'fc2.weight': [32, 32], 'fc2.bias': [32] } as const;
  return onnxFile({
    inputs: [value('ids', ['rows', 4], 'int64')],
    outputs: [value('logits', ['rows', 32])],
    initializers: Object.entries(shapes).map(([name, shape]) => openInitializer(name, shape)),
    nodes: [
      node('Gather', ['embed.weight', 'ids'], ['looked_up']),
      node('ReduceMean', ['looked_up'], ['mean'], [integersAttribute('axes', [1]), integerAttribute('keepdims', 0)]),
      node('MatMul', ['mean', 'fc1.weight'], ['scaled']),
      node('Add', ['scaled', 'fc1.bias'], ['active']),
      node('MatMul', ['active', 'fc2.weight'], ['raw']),
      node('Add', ['raw', 'fc2.bias'], ['logits']),
    ],
  });
}

/** Mean cross-entropy of alternating targets under the sigmoid of the classifier's logits. */
function yesOrNoLoss(): number {
  const losses = rows.labels.flatMap((_, row) =>
    logitsOf(weights, rows.ids.slice(4 * row, 4 * row + 4)).map(
      (logit, at) => Math.max(logit, 0) - logit * (at % 2) + Math.log1p(Math.exp(-Math.abs(logit))),
    ),
  );
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

function i32Tensor(shape: readonly number[], values: readonly number[]): FileTensor {
  const { buffer } = Int32Array.from(values);
  return { dtype: 'I32', shape, bytes: new Uint8Array(buffer) };
}
