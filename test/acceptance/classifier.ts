import { integerAttribute, integersAttribute, node, onnxFile, openInitializer, value } from './onnx-file.ts';
import { normal, randomNumbers } from './random-numbers.ts';
import { f32Tensor, floatsOf, i64Tensor, safetensorsFile, tensorsOf } from './safetensors-file.ts';

/**
 * A small model that the test can compute itself: the mean of four embeddings, a hidden layer, class logits. Every
 * weight except the biases is large enough to be quantized.
 */
const words = 64;
const width = 16;
const hidden = 32;
const classes = 16;
const wordsPerRow = 4;
const evalRows = 192;

/** Shapes of the tensors, in file order. */
export const classifierShapes = {
  'embed.weight': [words, width],
  'fc1.weight': [width, hidden],
  'fc1.bias': [hidden],
  'fc2.weight': [hidden, classes],
  'fc2.bias': [classes],
} as const;

export type Weights = Readonly<Record<keyof typeof classifierShapes, Float32Array>>;

const names = Object.keys(classifierShapes) as (keyof typeof classifierShapes)[];

/**
 * The weights at one step of an invented training: random ones that drift towards others, a little more each step and
 * with noise, so that most weights change a bit from step to step.
 */
export function classifierWeights(step: number, seed = 1): Weights {
  const start = randomNumbers(seed);
  const goal = randomNumbers(seed + 1000);
  const noise = randomNumbers(seed * 7919 + step);
  return mapNames((name) => {
    const scale = name === 'embed.weight' ? 1.5 : 0.6;
    return Float32Array.from(
      { length: countOf(name) },
      () => scale * (normal(start) + step * 0.02 * normal(goal) + 0.002 * normal(noise)),
    );
  });
}

/** Gradient averages for the same tensors. With `scale` 0 all are zero. */
export function classifierGradients(step: number, scale = 1): Weights {
  const random = randomNumbers(step + 77);
  return mapNames((name) => Float32Array.from({ length: countOf(name) }, () => scale * normal(random) ** 3));
}

export function classifierFile(weights: Weights): Buffer {
  return safetensorsFile(
    mapNames((name) => f32Tensor(classifierShapes[name], weights[name])),
    { metadata: { format: 'pt' }, padding: 3 },
  );
}

export function weightsOf(file: Buffer): Weights {
  const tensors = tensorsOf(file);
  return mapNames((name) => floatsOf(tensors.get(name)!));
}

/**
 * The graph with open weights. They refer to a system file, which must never be opened: opening it would make every
 * evaluation fail.
 */
export function classifierGraph(): Buffer {
  return onnxFile({
    inputs: [value('ids', ['rows', wordsPerRow], 'int64')],
    outputs: [value('logits', ['rows', classes])],
    initializers: names.map((name) => openInitializer(name, classifierShapes[name], '/etc/passwd')),
    nodes: [
      node('Gather', ['embed.weight', 'ids'], ['looked_up']),
      node('ReduceMean', ['looked_up'], ['mean'], [integersAttribute('axes', [1]), integerAttribute('keepdims', 0)]),
      node('MatMul', ['mean', 'fc1.weight'], ['scaled']),
      node('Add', ['scaled', 'fc1.bias'], ['shifted']),
      node('Relu', ['shifted'], ['active']),
      node('MatMul', ['active', 'fc2.weight'], ['raw']),
      node('Add', ['raw', 'fc2.bias'], ['logits']),
    ],
  });
}

export interface EvalRows {
  readonly ids: readonly number[];
  readonly labels: readonly number[];
}

/** Rows whose labels are likely, but not certain, under the given weights. */
export function classifierRows(weights: Weights, seed = 5): EvalRows {
  const random = randomNumbers(seed);
  const ids = Array.from({ length: evalRows * wordsPerRow }, () => Math.floor(random() * words));
  const labels = Array.from({ length: evalRows }, (_, row) => {
    const shares = softmax(logitsOf(weights, ids.slice(row * wordsPerRow, (row + 1) * wordsPerRow)));
    let left = random();
    return Math.max(
      0,
      shares.findIndex((share) => (left -= share) < 0),
    );
  });
  return { ids, labels };
}

export function classifierBatches({ ids, labels }: EvalRows): Buffer {
  return safetensorsFile({
    ids: i64Tensor([labels.length, wordsPerRow], ids),
    labels: i64Tensor([labels.length], labels),
  });
}

/** Two metrics of one output. */
export const classifierSpec = {
  inputs: { ids: 'ids' },
  batchRows: 50,
  metrics: [
    { name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'labels' },
    { name: 'accuracy', kind: 'accuracy', output: 'logits', labels: 'labels' },
  ],
} as const;

/** The metrics, computed here from bytes, independently of the hub. */
export function measure(weights: Weights, { ids, labels }: EvalRows): { loss: number; accuracy: number } {
  let loss = 0;
  let hits = 0;
  for (const [row, label] of labels.entries()) {
    const logits = logitsOf(weights, ids.slice(row * wordsPerRow, (row + 1) * wordsPerRow));
    loss += logSumOfExponentials(logits) - logits[label]!;
    if (logits.indexOf(Math.max(...logits)) === label) hits++;
  }
  return { loss: loss / labels.length, accuracy: hits / labels.length };
}

/** The logits of one row. */
export function logitsOf(weights: Weights, ids: readonly number[]): number[] {
  const mean = Array.from(
    { length: width },
    (_, at) => ids.reduce((sum, id) => sum + weights['embed.weight'][id * width + at]!, 0) / wordsPerRow,
  );
  const active = product(mean, weights['fc1.weight'], weights['fc1.bias']).map((sum) => Math.max(0, sum));
  return product(active, weights['fc2.weight'], weights['fc2.bias']);
}

function product(row: readonly number[], matrix: Float32Array, bias: Float32Array): number[] {
  return Array.from(bias, (offset, column) =>
    row.reduce((sum, each, at) => sum + each * matrix[at * bias.length + column]!, offset),
  );
}

function softmax(logits: readonly number[]): number[] {
  const all = logSumOfExponentials(logits);
  return logits.map((logit) => Math.exp(logit - all));
}

/** Finite for logits of any size. */
function logSumOfExponentials(logits: readonly number[]): number {
  const top = Math.max(...logits);
  return top + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0));
}

function countOf(name: keyof typeof classifierShapes): number {
  return (classifierShapes[name] as readonly number[]).reduce((total, size) => total * size, 1);
}

function mapNames<T>(make: (name: keyof typeof classifierShapes) => T): Record<keyof typeof classifierShapes, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<keyof typeof classifierShapes, T>;
}
