/**
 * Tiny ONNX files, written byte by byte: protobuf wire format, field numbers of onnx/onnx.proto (IR version 8, operator
 * set 17). Contains only the parts that the tests need.
 */
export interface OnnxGraph {
  readonly nodes: readonly Uint8Array[];
  readonly inputs?: readonly Uint8Array[];
  readonly outputs: readonly Uint8Array[];
  readonly initializers?: readonly Uint8Array[];
  /** Version of the default operator set; 17 by default. */
  readonly opset?: number;
}

/** TensorProto.DataType. */
export const elementTypes = { float: 1, int64: 7, bool: 9, float16: 10 } as const;
export type ElementType = keyof typeof elementTypes;

export function onnxFile(graph: OnnxGraph): Buffer {
  const operatorSet = message([number(2, graph.opset ?? 17)]);
  return message([number(1, 8), nested(7, graphBytes(graph)), nested(8, operatorSet)]);
}

export function node(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: readonly Uint8Array[] = [],
): Uint8Array {
  return message([
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, operator),
    ...attributes.map((attribute) => nested(5, attribute)),
  ]);
}

/** A node with a name. */
export function named(name: string, unnamed: Uint8Array): Uint8Array {
  return message([text(3, name), unnamed]);
}

/** An attribute of one integer. */
export function integerAttribute(name: string, value: number): Uint8Array {
  return message([text(1, name), number(3, value), number(20, 2)]);
}

/** An attribute of several integers. */
export function integersAttribute(name: string, values: readonly number[]): Uint8Array {
  return message([text(1, name), ...values.map((value) => number(8, value)), number(20, 7)]);
}

/** An attribute that holds a tensor. */
export function tensorAttribute(name: string, tensor: Uint8Array): Uint8Array {
  return message([text(1, name), nested(5, tensor), number(20, 4)]);
}

/** The body of a loop or a branch. */
export function graphAttribute(name: string, graph: OnnxGraph): Uint8Array {
  return message([text(1, name), nested(6, graphBytes(graph)), number(20, 5)]);
}

/** A graph input or output; a dimension is a size or a name for any size. */
export function value(name: string, dimensions: readonly (number | string)[], type: ElementType = 'float'): Uint8Array {
  const shape = message(
    dimensions.map((size) => nested(1, message([typeof size === 'number' ? number(1, size) : text(2, size)]))),
  );
  const tensorType = message([number(1, elementTypes[type]), nested(2, shape)]);
  return message([text(1, name), nested(2, message([nested(1, tensorType)]))]);
}

/** An initializer with its values in the file. */
export function storedInitializer(
  name: string,
  shape: readonly number[],
  data: Uint8Array,
  type: ElementType = 'float',
): Uint8Array {
  return message([
    ...shape.map((size) => number(1, size)),
    number(2, elementTypes[type]),
    text(8, name),
    nested(9, data),
  ]);
}

/** An open initializer: its values lie outside the file. */
export function openInitializer(
  name: string,
  shape: readonly number[],
  location = 'weights.bin',
  type: ElementType = 'float',
): Uint8Array {
  const entry = message([text(1, 'location'), text(2, location)]);
  return message([
    ...shape.map((size) => number(1, size)),
    number(2, elementTypes[type]),
    text(8, name),
    nested(13, entry),
    number(14, 1),
  ]);
}

function graphBytes({ nodes, inputs = [], outputs, initializers = [] }: OnnxGraph): Buffer {
  return message([
    ...nodes.map((each) => nested(1, each)),
    text(2, 'g'),
    ...initializers.map((each) => nested(5, each)),
    ...inputs.map((each) => nested(11, each)),
    ...outputs.map((each) => nested(12, each)),
  ]);
}

/** Wire types: a varint, and length-delimited bytes. */
const varintType = 0;
const bytesType = 2;

function message(fields: readonly Uint8Array[]): Buffer {
  return Buffer.concat(fields);
}

function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8 + varintType), varint(value)]);
}

function text(field: number, value: string): Buffer {
  return nested(field, Buffer.from(value));
}

function nested(field: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(field * 8 + bytesType), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    const low = Number(rest & 0x7fn);
    if (rest < 128n) return Buffer.from([...bytes, low]);
    bytes.push(low | 0x80);
  }
}
