import {
  classifierBatches,
  classifierFile,
  classifierRows,
  classifierShapes,
  classifierSpec,
  classifierWeights,
  measure,
  type Weights,
} from '../classifier.ts';
import { integerAttribute, node, onnxFile, openInitializer, tensorAttribute, value } from '../onnx-file.ts';
import { normal, randomNumbers } from '../random-numbers.ts';
import { f32Tensor, safetensorsFile } from '../safetensors-file.ts';
import { classifierVariant, storedFloats, turned, weightNames } from './classifier-variants.ts';
import { refused, unbound, type Mistake } from './mistake.ts';

const weights = classifierWeights(1);
/** The weights of the step at which the graph was exported. */
const older = classifierWeights(40);
const rows = classifierRows(weights);
const classifier = { spec: classifierSpec, batches: classifierBatches(rows), truth: measure(weights, rows) };
const file = (bytes: Buffer) => ({ files: { 'model.safetensors': bytes } });
const plainFile = file(classifierFile(weights));

/** Matrices as a linear layer stores them: transposed. */
const turnedFile = file(
  safetensorsFile(
    Object.fromEntries(
      weightNames.map((name) => {
        const [first, second] = classifierShapes[name] as readonly number[];
        const isLayer = name === 'fc1.weight' || name === 'fc2.weight';
        return [
          name,
          isLayer
            ? f32Tensor([second!, first!], turned(weights[name], first!, second!))
            : f32Tensor(classifierShapes[name], weights[name]),
        ];
      }),
    ),
  ),
);
/** The exporter has transposed the matrix and given the result another name. */
const folded = (from: Weights): Buffer =>
  classifierVariant({
    carried: from,
    without: ['fc2.weight'],
    more: [storedFloats('val_0', classifierShapes['fc2.weight'], from['fc2.weight'])],
    before: [node('Identity', ['val_0'], ['turned_fc2'])],
    matrix: 'turned_fc2',
  });
/** A constant from which an operator makes the two biases. */
const fused = classifierVariant({
  carried: older,
  without: ['fc1.bias', 'fc2.bias'],
  more: [storedFloats('val_3', [48], [...older['fc1.bias'], ...older['fc2.bias']])],
  before: [
    node('Constant', [], ['sizes'], [tensorAttribute('value', int64Pair(32, 16))]),
    node('Split', ['val_3', 'sizes'], ['first', 'second'], [integerAttribute('axis', 0)]),
  ],
  biases: ['first', 'second'],
});
const halved = older['fc1.bias'].map((bias) => bias / 2);
const scaled = classifierVariant({
  carried: older,
  without: ['fc1.bias'],
  more: [storedFloats('val_5', [32], halved)],
  before: [node('Add', ['val_5', 'val_5'], ['first'])],
  biases: ['first', 'fc2.bias'],
});

const size = 16;
const samples = 48;
const numbers = (count: number, seed: number): Float32Array => {
  const random = randomNumbers(seed);
  return Float32Array.from({ length: count }, () => normal(random));
};
/** y = (x w + a + b) * scale */
const matrix = numbers(size * size, 1);
const [a, b] = [numbers(size, 2), numbers(size, 3)];
const scale = 1.25;
const x = numbers(samples * size, 4);
/** The model's own outputs with noise, like targets of a trained model. */
const noise = numbers(samples * size, 5).map((each) => 0.5 * each);
const target = noise.map((each, at) => each + answer(at));
const sums = {
  spec: { inputs: { x: 'x' }, metrics: [{ name: 'error', kind: 'mse', output: 'y', labels: 'target' }] },
  batches: safetensorsFile({ x: f32Tensor([samples, size], x), target: f32Tensor([samples, size], target) }),
  truth: { error: squaredError() },
  ...file(
    safetensorsFile({
      w: f32Tensor([size, size], matrix),
      'a.bias': f32Tensor([size], a),
      'b.bias': f32Tensor([size], b),
      scale: f32Tensor([1], [scale]),
    }),
  ),
};

/** A model with two norms, of which one of each pair is missing. No value measured with it is true. */
const normed = {
  spec: sums.spec,
  batches: sums.batches,
  ...file(
    safetensorsFile({
      w: f32Tensor([size, size], matrix),
      'n1.weight': f32Tensor([size], a),
      'n1.bias': f32Tensor([size], b),
    }),
  ),
};

/** The same under the names of two layers. */
const layers = file(
  safetensorsFile({
    w: f32Tensor([size, size], matrix),
    'layers.0.bias': f32Tensor([size], a),
    'layers.1.bias': f32Tensor([size], b),
    scale: f32Tensor([1], [scale]),
  }),
);

export const wrongConstants: readonly Mistake[] = [
  {
    ...classifier,
    ...turnedFile,
    name: 'matrices that lie turned in the checkpoint',
    graph: classifierVariant(),
    expected: ['right', unbound(/transpose/)],
  },
  {
    ...classifier,
    ...turnedFile,
    name: 'a turned matrix folded into a constant of older weights',
    graph: folded(older),
    expected: [unbound(/"val_0"/)],
  },
  {
    ...classifier,
    ...turnedFile,
    name: 'a turned matrix folded into a constant of these weights',
    graph: folded(weights),
    expected: ['right'],
  },
  {
    ...classifier,
    ...plainFile,
    name: 'two biases fused into one constant',
    graph: fused,
    expected: [unbound(/"val_3"/)],
  },
  {
    ...classifier,
    ...plainFile,
    name: 'a bias folded into a scaled constant',
    graph: scaled,
    expected: [unbound(/"val_5"/)],
  },
  { ...sums, name: 'two biases and a scale', graph: sumGraph({}), expected: ['right'] },
  {
    ...sums,
    name: 'a bias that the exporter merged into an equal one, by an operator of its name',
    graph: sumGraph({ merged: 'by identity' }),
    expected: ['right', unbound(/"b\.bias"/)],
  },
  {
    ...sums,
    name: 'a bias that the exporter merged into an equal one',
    graph: sumGraph({ merged: 'away' }),
    expected: [unbound(/"b\.bias"/), { warns: /"?b\.bias/ }],
  },
  {
    ...sums,
    ...layers,
    name: 'copies of a layer that the exporter merged before they were trained',
    graph: sumGraph({ merged: 'away', biases: ['layers.0.bias', 'layers.1.bias'] }),
    expected: [unbound(/"layers\.1\.bias".*"unused"/)],
  },
  {
    ...sums,
    ...layers,
    name: 'a layer that the graph leaves out, as the eval set says',
    spec: { ...sums.spec, unused: ['layers.1.*'] },
    truth: { error: squaredError(a) },
    graph: sumGraph({ merged: 'away', biases: ['layers.0.bias', 'layers.1.bias'] }),
    expected: ['right'],
  },
  {
    ...normed,
    name:
      'a batch normalization whose statistics the exporter merged with its weights, and a checkpoint that lacks ' +
      'them',
    graph: normGraph('BatchNormalization'),
    expected: [
      refused(
        'graph-missing-weights',
        /"n1\.bias" both as the bias and as the running mean.*keep_initializers_as_inputs=True/,
      ),
    ],
  },
  {
    ...normed,
    name: 'a norm that the exporter merged into another one by name, and a checkpoint that lacks it',
    graph: normGraph('LayerNormalization', 'by identity'),
    expected: [unbound(/"n2\.(weight|bias)".*keep_initializers_as_inputs=True/)],
  },
  {
    ...normed,
    name: 'a norm that the exporter merged into another one, and a checkpoint that lacks it',
    graph: normGraph('LayerNormalization', 'away'),
    expected: [{ warns: /"n1\.weight", "n1\.bias".*merged them and the figure is wrong/ }],
  },
  {
    ...sums,
    name: 'a scale of one element, folded',
    graph: sumGraph({ foldedScale: 0.5 }),
    expected: [unbound(/"val_9"/)],
  },
];

/** An untrained model with two norms as exporters write it: one vector of ones, and one of zeros. */
function normGraph(
  operator: 'BatchNormalization' | 'LayerNormalization',
  merged: 'by identity' | 'away' = 'by identity',
): Buffer {
  const statistics = operator === 'BatchNormalization' ? ['n1.running_mean', 'n1.running_var'] : [];
  const second = merged === 'away' ? 'n1' : 'n2';
  const alias = (from: string, to: string) => node('Identity', [from], [to]);
  return onnxFile({
    opset: 17,
    inputs: [value('x', ['rows', size])],
    outputs: [value('y', ['rows', size])],
    initializers: [
      openInitializer('w', [size, size]),
      storedFloats('n1.weight', [size], new Float32Array(size).fill(1)),
      storedFloats('n1.bias', [size], new Float32Array(size)),
    ],
    nodes: [
      ...(statistics.length > 0 ? [alias('n1.bias', 'n1.running_mean'), alias('n1.weight', 'n1.running_var')] : []),
      ...(merged === 'away' ? [] : [alias('n1.bias', 'n2.bias'), alias('n1.weight', 'n2.weight')]),
      node('MatMul', ['x', 'w'], ['product']),
      node(operator, ['product', 'n1.weight', 'n1.bias', ...statistics], ['first']),
      node('LayerNormalization', ['first', `${second}.weight`, `${second}.bias`], ['y']),
    ],
  });
}

interface SumGraph {
  readonly merged?: 'by identity' | 'away';
  readonly foldedScale?: number;
  readonly biases?: readonly [string, string];
}

/** An untrained model whose biases are all zeros: exporters store one of them for both. */
function sumGraph({ merged, foldedScale, biases = ['a.bias', 'b.bias'] }: SumGraph): Buffer {
  const [kept, other] = biases;
  const second = merged === 'away' ? kept : other;
  return onnxFile({
    inputs: [value('x', ['rows', size])],
    outputs: [value('y', ['rows', size])],
    initializers: [
      openInitializer('w', [size, size]),
      openInitializer(kept, [size]),
      ...(merged === undefined ? [openInitializer(other, [size])] : []),
      foldedScale === undefined ? openInitializer('scale', [1]) : storedFloats('val_9', [1], [foldedScale]),
    ],
    nodes: [
      ...(merged === 'by identity' ? [node('Identity', [kept], [other])] : []),
      node('MatMul', ['x', 'w'], ['product']),
      node('Add', ['product', kept], ['once']),
      node('Add', ['once', second], ['twice']),
      node('Mul', ['twice', foldedScale === undefined ? 'scale' : 'val_9'], ['y']),
    ],
  });
}

function squaredError(second = b): number {
  return target.reduce((sum, wanted, at) => sum + (answer(at, second) - wanted) ** 2, 0) / target.length;
}

/** One value of y. */
function answer(at: number, second = b): number {
  const [row, column] = [Math.floor(at / size), at % size];
  let sum = a[column]! + second[column]!;
  for (let inner = 0; inner < size; inner++) sum += x[row * size + inner]! * matrix[inner * size + column]!;
  return sum * scale;
}

/** A TensorProto of two 64-bit integers: dims, data type and raw data. */
function int64Pair(first: number, second: number): Uint8Array {
  const data = Buffer.from(BigInt64Array.of(BigInt(first), BigInt(second)).buffer);
  return Buffer.concat([Buffer.from([0x08, 2, 0x10, 7, 0x4a, data.length]), data]);
}
