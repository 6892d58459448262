import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf';
import type { Dtype } from '../../checkpoint/dtype.ts';
import { hasOnnxType, onnxTypeOfDtype } from './onnx-dtype.ts';
import {
  AttributeProtoSchema,
  GraphProtoSchema,
  ModelProtoSchema,
  NodeProtoSchema,
  TensorProtoSchema,
  ValueInfoProtoSchema,
} from './onnx_pb.ts';

type Init<S extends Parameters<typeof create>[0]> = MessageInitShape<S>;

/** The parts of a small model, made by the functions below. For tests. */
export interface ModelParts {
  readonly nodes: readonly Init<typeof NodeProtoSchema>[];
  readonly initializers?: readonly Init<typeof TensorProtoSchema>[];
  readonly inputs?: readonly Init<typeof ValueInfoProtoSchema>[];
  readonly outputs: readonly Init<typeof ValueInfoProtoSchema>[];
  readonly opset?: number;
}

/** The bytes of an ONNX file (IR version 8, opset 17). */
export function buildModel(parts: ModelParts): Uint8Array {
  const opsetImport = [
    { domain: '', version: BigInt(parts.opset ?? 17) },
    { domain: 'com.microsoft', version: 1n },
  ];
  return toBinary(ModelProtoSchema, create(ModelProtoSchema, { irVersion: 8n, opsetImport, graph: graphOf(parts) }));
}

/** A graph message; as an attribute, the body of a control-flow node. */
export function graphOf({ nodes, initializers = [], inputs = [], outputs }: ModelParts): Init<typeof GraphProtoSchema> {
  return { name: 'g', node: [...nodes], initializer: [...initializers], input: [...inputs], output: [...outputs] };
}

export function node(
  opType: string,
  input: string[],
  output: string[],
  attribute: Init<typeof AttributeProtoSchema>[] = [],
): Init<typeof NodeProtoSchema> {
  return { opType, input, output, attribute };
}

export function floats(
  name: string,
  dims: readonly number[],
  values: readonly number[],
): Init<typeof TensorProtoSchema> {
  return {
    name,
    dims: dims.map(BigInt),
    dataType: onnxTypeOfDtype('F32'),
    rawData: new Uint8Array(Float32Array.from(values).buffer),
  };
}

export function integers(
  name: string,
  dims: readonly number[],
  values: readonly number[],
): Init<typeof TensorProtoSchema> {
  return {
    name,
    dims: dims.map(BigInt),
    dataType: onnxTypeOfDtype('I64'),
    rawData: new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer),
  };
}

/** An initializer without data, to be filled. */
export function external(
  name: string,
  dims: readonly number[],
  dtype: Dtype = 'F32',
  location = 'weights.bin',
): Init<typeof TensorProtoSchema> {
  if (!hasOnnxType(dtype)) throw new TypeError(dtype);
  return {
    name,
    dims: dims.map(BigInt),
    dataType: onnxTypeOfDtype(dtype),
    dataLocation: 1,
    externalData: [{ key: 'location', value: location }],
  };
}

/** A graph input or output; a dimension is a size or a symbol. */
export function value(
  name: string,
  dims: readonly (number | string)[],
  dtype: Dtype = 'F32',
): Init<typeof ValueInfoProtoSchema> {
  if (!hasOnnxType(dtype)) throw new TypeError(dtype);
  const dim = dims.map((size) => ({
    value:
      typeof size === 'number'
        ? { case: 'dimValue' as const, value: BigInt(size) }
        : { case: 'dimParam' as const, value: size },
  }));
  return { name, type: { tensorType: { elemType: onnxTypeOfDtype(dtype), shape: { dim } } } };
}

/** AttributeProto.AttributeType numbers. */
const attributeTypes = { int: 2, tensor: 4, graph: 5, ints: 7 } as const;

export function intAttribute(name: string, i: number): Init<typeof AttributeProtoSchema> {
  return { name, type: attributeTypes.int, i: BigInt(i) };
}

export function intsAttribute(name: string, ints: readonly number[]): Init<typeof AttributeProtoSchema> {
  return { name, type: attributeTypes.ints, ints: ints.map(BigInt) };
}

export function tensorAttribute(name: string, t: Init<typeof TensorProtoSchema>): Init<typeof AttributeProtoSchema> {
  return { name, type: attributeTypes.tensor, t };
}

export function graphAttribute(name: string, parts: ModelParts): Init<typeof AttributeProtoSchema> {
  return { name, type: attributeTypes.graph, g: graphOf(parts) };
}
