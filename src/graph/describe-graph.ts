import { countElements } from '../checkpoint/count-elements.ts';
import { dtypeBytes, type Dtype } from '../checkpoint/dtype.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { quoteName } from '../checkpoint/words/quote-name.ts';
import { defaultGraphLimits, type GraphLimits } from './onnx/graph-limits.ts';
import type { GraphSource } from './onnx/graph-source.ts';
import { graphsOf, tensorsOf } from './onnx/graph-walk.ts';
import { dtypeOfOnnxType, isFloatDtype } from './onnx/onnx-dtype.ts';
import type { TensorProto, ValueInfoProto } from './onnx/onnx_pb.ts';
import { outlineModel } from './onnx/outline-model.ts';
import { readPayloadReference } from './onnx/payload-reference.ts';
import { readModel, type OnnxModel } from './onnx/read-model.ts';
import { storedElements, type SpanOf, type StoredElements } from './elements/stored-elements.ts';
import { weightSites, type WeightSite } from './layers/weight-sites.ts';
import { WordDecoder } from './elements/word-decoder.ts';

/** Description of an ONNX model for Firn's purposes. */
export interface GraphDescription {
  /** Without the data of its tensors if it comes from {@link describeGraphFile}. */
  readonly model: OnnxModel;
  /** Inputs that must be fed: those of the main graph without an initializer. */
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
  /** Tensors stored under a name, in file order; in subgraphs and Constant nodes too. */
  readonly initializers: readonly GraphInitializer[];
  /** Version of the default operator set; 0 when the model imports none. */
  readonly opset: number;
  readonly hasSubgraphs: boolean;
}

export interface GraphFileDescription extends GraphDescription {
  /** Approximate memory of the description. */
  readonly memoryBytes: number;
}

export interface GraphValue {
  readonly name: string;
  /** Undefined for strings, sequences and other types without a safetensors twin. */
  readonly dtype: Dtype | undefined;
  /** Undefined when the graph does not specify them; a dimension is a size, a symbol, or unknown. */
  readonly dims: readonly (number | string | undefined)[] | undefined;
}

export interface GraphInitializer {
  readonly name: string;
  readonly dtype: Dtype | undefined;
  readonly shape: readonly number[];
  readonly elementCount: number;
  /**
   * True when the file has only its name, type and shape: it must come from a checkpoint. No path is ever opened for
   * it.
   */
  readonly external: boolean;
  /** Place of its elements in the file; only for floating types that are not external. */
  readonly stored: StoredElements | undefined;
}

/**
 * Reads and describes an ONNX file that is in memory. `bytes` must outlive the result unchanged. Errors:
 * `graph-invalid`, `graph-external-data`.
 */
export function describeGraph(bytes: Uint8Array, limits: GraphLimits = defaultGraphLimits): GraphDescription {
  const spanOf: SpanOf = (payload) => ({
    startBytes: payload.byteOffset - bytes.byteOffset,
    lengthBytes: payload.byteLength,
  });
  const description = describe(readModel(bytes, limits), limits, spanOf);
  for (const { name, stored } of description.initializers)
    if (stored?.encoding === 'varints') checkWords(name, stored, bytes);
  return description;
}

/**
 * Checks 16-bit elements stored as varints: as many as the shape has, none wider than 16 bits. For files read piece by
 * piece, the reader of elements checks this.
 */
function checkWords(name: string, { spans, sizeBytes }: StoredElements, bytes: Uint8Array): void {
  const decoder = new WordDecoder();
  let decodedBytes = 0;
  for (const { startBytes, lengthBytes } of spans)
    decodedBytes += decoder.decode(bytes.subarray(startBytes, startBytes + lengthBytes)).byteLength;
  if (!decoder.complete || decodedBytes !== sizeBytes) {
    throw new FirnError('graph-invalid', `The data of initializer ${quoteName(name)} does not fit its shape.`);
  }
}

/**
 * Describes an ONNX file by reading only its structure: memory depends on its nodes and names, not on its weights.
 * Errors: `graph-invalid`, `graph-external-data`, the source's.
 */
export async function describeGraphFile(
  source: GraphSource,
  { limits = defaultGraphLimits, signal }: { readonly limits?: GraphLimits; readonly signal?: AbortSignal } = {},
): Promise<GraphFileDescription> {
  const outline = await outlineModel(source, { limits, ...(signal && { signal }) });
  return {
    ...describe(readModel(outline, limits), limits, readPayloadReference),
    memoryBytes: outline.byteLength * memoryPerOutline,
  };
}

/** Memory of a description per byte of outline, including the outline itself (measured with 20 000 operators: 11.7). */
const memoryPerOutline = 12;

function describe(model: OnnxModel, limits: GraphLimits, spanOf: SpanOf): GraphDescription {
  const sites = weightSites(model);
  refuseOtherExternalData(model, new Set(sites.map((site) => site.tensor)));
  const withInitializer = new Set(model.graph.initializer.map((tensor) => tensor.name));
  return {
    model,
    inputs: model.graph.input.filter((input) => !withInitializer.has(input.name)).map(graphValue),
    outputs: model.graph.output.map(graphValue),
    initializers: sites.map((site) => graphInitializer(site, limits, spanOf)),
    opset: Number(model.opsetImport.find((entry) => entry.domain === '' || entry.domain === 'ai.onnx')?.version ?? 0n),
    hasSubgraphs: [...graphsOf(model)].some((scope) => scope.place === 'subgraph'),
  };
}

export function isExternal(tensor: TensorProto): boolean {
  return tensor.dataLocation !== 0 || tensor.externalData.length > 0;
}

/** External data is allowed only for tensors that a checkpoint can fill. */
function refuseOtherExternalData(model: OnnxModel, fillable: ReadonlySet<TensorProto>): void {
  for (const tensor of tensorsOf(model)) {
    if (isExternal(tensor) && !fillable.has(tensor)) {
      throw new FirnError(
        'graph-external-data',
        `Tensor ${quoteName(tensor.name)} of the graph refers to data outside the file.`,
      );
    }
  }
}

function graphInitializer({ name, tensor }: WeightSite, limits: GraphLimits, spanOf: SpanOf): GraphInitializer {
  const dtype = dtypeOfOnnxType(tensor.dataType);
  const shape = shapeOf(name, tensor, limits);
  const elementCount = countElements(shape);
  const external = isExternal(tensor);
  if (!Number.isSafeInteger(elementCount * (dtype === undefined ? 1 : dtypeBytes[dtype]))) throw badShape(name);
  const stored = external || !isFloatDtype(dtype) ? undefined : storedElements(tensor, { dtype, elementCount }, spanOf);
  return { name, dtype, shape, elementCount, external, stored };
}

function shapeOf(name: string, tensor: TensorProto, limits: GraphLimits): number[] {
  const shape = tensor.dims.map(Number);
  if (shape.length > limits.rank || shape.some((dim) => !Number.isSafeInteger(dim) || dim < 0)) throw badShape(name);
  return shape;
}

function badShape(name: string): FirnError {
  return new FirnError('graph-invalid', `Initializer ${quoteName(name)} has an impossible shape.`);
}

function graphValue(info: ValueInfoProto): GraphValue {
  const tensor = info.type?.tensorType;
  return {
    name: info.name,
    dtype: tensor === undefined ? undefined : dtypeOfOnnxType(tensor.elemType),
    dims: tensor?.shape?.dim.map(({ value }) => (value.case === 'dimValue' ? knownSize(value.value) : value.value)),
  };
}

/** Some exporters write -1 for a dimension that may vary. */
function knownSize(size: bigint): number | undefined {
  return size < 0n ? undefined : Number(size);
}
