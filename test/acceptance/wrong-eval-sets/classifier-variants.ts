import { classifierShapes, type Weights } from '../classifier.ts';
import { f16Word, wordBytes } from '../float-words.ts';
import {
  integerAttribute,
  integersAttribute,
  node,
  onnxFile,
  openInitializer,
  storedInitializer,
  value,
} from '../onnx-file.ts';
import { f32Tensor, safetensorsFile } from '../safetensors-file.ts';

export type WeightName = keyof typeof classifierShapes;
export const weightNames = Object.keys(classifierShapes) as WeightName[];

const wordsPerRow = 4;
const classes = 16;
/** TensorProto.DataType.FLOAT, for Cast. */
const floatType = 1;

/** Differences of a classifier's graph from the plain one. */
export interface ClassifierGraphOptions {
  /** Rows of input and output; any number by default. */
  readonly rows?: number;
  /** Name of a weight in the graph. */
  readonly nameOf?: (name: WeightName) => string;
  /** Weights stored in the graph; the others are open. */
  readonly carried?: Weights;
  /** Weights without an initializer, because `before` computes them. */
  readonly without?: readonly WeightName[];
  readonly more?: readonly Uint8Array[];
  readonly before?: readonly Uint8Array[];
  /** Replaces `fc2.weight` and the two biases; `before` computes it. */
  readonly matrix?: string;
  readonly biases?: readonly [string, string];
  /** Operator between the last sum and the output. */
  readonly end?: 'Softmax' | 'LogSoftmax' | 'Sigmoid';
  readonly opset?: number;
  /** Everything in half precision, cast to float at the end. */
  readonly half?: boolean;
}

export function classifierVariant(options: ClassifierGraphOptions = {}): Buffer {
  const {
    rows = 'rows',
    nameOf = (name: WeightName): string => name,
    without = [],
    more = [],
    before = [],
    end,
    opset,
    half = false,
  } = options;
  const kept = weightNames.filter((name) => !without.includes(name));
  const w = nameOf;
  const { matrix = w('fc2.weight'), biases = [w('fc1.bias'), w('fc2.bias')] } = options;
  const sum = end === undefined && !half ? 'logits' : 'sum';
  return onnxFile({
    ...(opset !== undefined && { opset }),
    inputs: [value('ids', [rows, wordsPerRow], 'int64')],
    outputs: [value('logits', [rows, classes])],
    initializers: [...kept.map((name) => initializer(name, nameOf(name), options)), ...more],
    nodes: [
      ...before,
      node('Gather', [w('embed.weight'), 'ids'], ['looked_up']),
      node('ReduceMean', ['looked_up'], ['mean'], [integersAttribute('axes', [1]), integerAttribute('keepdims', 0)]),
      node('MatMul', ['mean', w('fc1.weight')], ['scaled']),
      node('Add', ['scaled', biases[0]], ['shifted']),
      node('Relu', ['shifted'], ['active']),
      node('MatMul', ['active', matrix], ['raw']),
      node('Add', ['raw', biases[1]], [sum]),
      ...(half ? [node('Cast', ['sum'], ['logits'], [integerAttribute('to', floatType)])] : []),
      ...(end === undefined
        ? []
        : [node(end, ['sum'], ['logits'], end === 'Sigmoid' ? [] : [integerAttribute('axis', 1)])]),
    ],
  });
}

/** A stored float tensor of a graph. */
export function storedFloats(name: string, shape: readonly number[], values: ArrayLike<number>): Uint8Array {
  return storedInitializer(name, shape, f32Tensor(shape, values).bytes);
}

/** A checkpoint with other tensor names, or without some tensors. */
export function renamedFile(weights: Weights, nameOf: (name: WeightName) => string | undefined): Buffer {
  const named = weightNames.flatMap((name) => {
    const stored = nameOf(name);
    return stored === undefined ? [] : [[stored, f32Tensor(classifierShapes[name], weights[name])] as const];
  });
  return safetensorsFile(Object.fromEntries(named));
}

/** The transposed matrix. */
export function turned(values: Float32Array, rows: number, columns: number): Float32Array {
  return Float32Array.from(values, (_, at) => values[(at % rows) * columns + Math.floor(at / rows)]!);
}

function initializer(
  name: WeightName,
  graphName: string,
  { carried, half = false }: ClassifierGraphOptions,
): Uint8Array {
  const shape = classifierShapes[name];
  if (carried === undefined) return openInitializer(graphName, shape, 'weights.bin', half ? 'float16' : 'float');
  if (half) return storedInitializer(graphName, shape, wordBytes(Array.from(carried[name], f16Word)), 'float16');
  return storedFloats(graphName, shape, carried[name]);
}
