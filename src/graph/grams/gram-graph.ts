import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf';
import type { Unfold } from '../layers/convolution-unfold.ts';
import { graphsOf } from '../onnx/graph-walk.ts';
import { onnxTypeOfDtype } from '../onnx/onnx-dtype.ts';
import { ModelProtoSchema, NodeProtoSchema, ValueInfoProtoSchema, type NodeProto } from '../onnx/onnx_pb.ts';
import type { GramOutput } from './plan-grams.ts';
import { readModel, type OnnxModel } from '../onnx/read-model.ts';

export interface GramGraph {
  readonly bytes: Uint8Array;
  /**
   * Names of the added outputs, one for each requested Gram matrix, in that order: F32 [inputCount / blockSize,
   * blockSize, blockSize].
   */
  readonly outputNames: readonly string[];
}

/**
 * Oldest operator set with every operator in the form used here (Reshape with its shape as an input, 5; Cast by number,
 * 6) that the runtime supports.
 */
export const gramOpsetMin = 7;

/**
 * Adds to a model the operators that compute Gram matrices of its activations over one batch. Its present outputs stay
 * the same. The activations must be values of the main graph, opset at least {@link gramOpsetMin}. Errors:
 * `graph-invalid`.
 */
export function gramGraph(bytes: Uint8Array, outputs: readonly GramOutput[]): GramGraph {
  const model = readModel(bytes);
  const writer = new NodeWriter(freePrefix(model));
  const outputNames = outputs.map((output) => appendGram(writer, output));
  model.graph.node.push(...writer.nodes);
  model.graph.output.push(...outputs.map((output, index) => declaration(outputNames[index]!, output)));
  return { bytes: toBinary(ModelProtoSchema, model), outputNames };
}

/** Activations as blocks of columns [blocks, blockSize, rows], multiplied with themselves. */
function appendGram(writer: NodeWriter, { activation, inputCount, blockSize, unfold }: GramOutput): string {
  const blockCount = inputCount / blockSize;
  const floats = writer.add('Cast', [activation], [intAttribute('to', onnxTypeOfDtype('F32'))]);
  if (unfold === undefined) {
    const rows = writer.reshape(floats, [-1, blockCount, blockSize]);
    return writer.add('MatMul', [writer.transpose(rows, [1, 2, 0]), writer.transpose(rows, [1, 0, 2])]);
  }
  const windows = appendWindows(writer, floats, unfold);
  const spatial = unfold.kernel.map((_, axis) => axis + 2);
  const columns = writer.reshape(writer.transpose(windows, [1, 0, ...spatial]), [blockCount, blockSize, -1]);
  return writer.add('MatMul', [columns, writer.transpose(columns, [0, 2, 1])]);
}

/**
 * From [N, channels, ...] to [N, channels * positions, ...]: a convolution of each channel with one kernel for every
 * position of the window; the kernel is one there and zero elsewhere.
 */
function appendWindows(
  writer: NodeWriter,
  activation: string,
  { channels, kernel, strides, dilations, pads }: Unfold,
): string {
  const positions = kernel.reduce((product, size) => product * size, 1);
  const copied = kernel.map(() => 0);
  if (positions === 1 && strides.every((stride) => stride === 1) && pads.every((pad) => pad === 0)) return activation;
  const selectors = writer.selectors(kernel);
  const attributes = [
    intsAttribute('strides', strides),
    intsAttribute('dilations', dilations),
    intsAttribute('pads', pads),
  ];
  const windows = writer.add('Conv', [writer.reshape(activation, [-1, 1, ...copied]), selectors], attributes);
  return writer.reshape(windows, [-1, channels * positions, ...copied]);
}

function declaration(name: string, { inputCount, blockSize }: GramOutput) {
  const dim = [inputCount / blockSize, blockSize, blockSize].map((size) => ({
    value: { case: 'dimValue' as const, value: BigInt(size) },
  }));
  return create(ValueInfoProtoSchema, {
    name,
    type: { tensorType: { elemType: onnxTypeOfDtype('F32'), shape: { dim } } },
  });
}

type Attribute = NonNullable<MessageInitShape<typeof NodeProtoSchema>['attribute']>[number];

/** AttributeProto.AttributeType */
const attributeTypes = { int: 2, tensor: 4, ints: 7 } as const;

function intAttribute(name: string, value: number): Attribute {
  return { name, type: attributeTypes.int, i: BigInt(value) };
}

function intsAttribute(name: string, values: readonly number[]): Attribute {
  return { name, type: attributeTypes.ints, ints: values.map(BigInt) };
}

/** Collects nodes of one output each, under unique names. */
class NodeWriter {
  readonly nodes: NodeProto[] = [];
  readonly #selectors = new Map<string, string>();
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(opType: string, input: string[], attribute: Attribute[] = []): string {
    const output = `${this.#prefix}${this.nodes.length}`;
    this.nodes.push(create(NodeProtoSchema, { opType, input, output: [output], attribute }));
    return output;
  }

  /** One size may be -1 for the rest of the elements; 0 retains the size of that axis. */
  reshape(input: string, shape: readonly number[]): string {
    return this.add('Reshape', [input, this.#constant('I64', [shape.length], BigInt64Array.from(shape, BigInt))]);
  }

  /**
   * One kernel for each position of a window, in order: one at that position, zero elsewhere. Windows of one shape
   * share them.
   */
  selectors(window: readonly number[]): string {
    const key = window.join();
    const known = this.#selectors.get(key);
    if (known !== undefined) return known;
    const positions = window.reduce((product, size) => product * size, 1);
    const elements = new Float32Array(positions * positions);
    for (let at = 0; at < positions; at++) elements[at * positions + at] = 1;
    const name = this.#constant('F32', [positions, 1, ...window], elements);
    this.#selectors.set(key, name);
    return name;
  }

  /** A Constant node, because older models may not have initializers that are not inputs. */
  #constant(dtype: 'F32' | 'I64', dims: readonly number[], { buffer }: Float32Array | BigInt64Array): string {
    const t = {
      dims: dims.map(BigInt),
      dataType: onnxTypeOfDtype(dtype),
      rawData: new Uint8Array(buffer as ArrayBuffer),
    };
    return this.add('Constant', [], [{ name: 'value', type: attributeTypes.tensor, t }]);
  }

  transpose(input: string, perm: readonly number[]): string {
    return this.add('Transpose', [input], [intsAttribute('perm', perm)]);
  }
}

/** A prefix that no name in the model has. */
function freePrefix(model: OnnxModel): string {
  let prefix = 'firn_gram/';
  const names = [...graphsOf(model)].flatMap(({ graph }) => [
    ...graph.input.map((input) => input.name),
    ...graph.initializer.map((tensor) => tensor.name),
    ...graph.node.flatMap((node) => node.output),
  ]);
  while (names.some((name) => name.startsWith(prefix))) prefix = `_${prefix}`;
  return prefix;
}
