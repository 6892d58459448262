import { countElements } from '../checkpoint/count-elements.ts';
import { dtypeBytes, type Dtype } from '../checkpoint/dtype.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { quoteName } from '../checkpoint/quote-name.ts';
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

/** What Firn needs to know of an ONNX model. */
export interface GraphDescription {
  /** From {@link describeGraphFile} it is without the data of its tensors. */
  readonly model: OnnxModel;
  /** What must be fed: the main graph's inputs without those that have an initializer. */
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
  /** Tensors stored under a name, in file order; in subgraphs and Constant nodes too. */
  readonly initializers: readonly GraphInitializer[];
  /** Version of the default operator set; 0 when the model imports none. */
  readonly opset: number;
  readonly hasSubgraphs: boolean;
}

export interface GraphFileDescription extends GraphDescription {
  /** What it takes in memory, roughly. */
  readonly memoryBytes: number;
}

export interface GraphValue {
  readonly name: string;
  /** Undefined for strings, sequences and other types without a safetensors twin. */
  readonly dtype: Dtype | undefined;
  /** Undefined when the graph does not say; a dimension is a size, a symbol, or unknown. */
  readonly dims: readonly (number | string | undefined)[] | undefined;
}

export interface GraphInitializer {
  readonly name: string;
  readonly dtype: Dtype | undefined;
  readonly shape: readonly number[];
  readonly elementCount: number;
  /**
   * True when the file holds only its name, type and shape: it has to come from a checkpoint. No path is ever opened
   * for it.
   */
  readonly external: boolean;
  /** Where its elements lie in the file; floating types that are not external only. */
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
 * Sixteen-bit elements stored as varints: as many as the shape has, none wider. The file's other reader checks them
 * when it reads them.
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
 * Describes an ONNX file of which only the structure is read: it costs the memory of its nodes and names, whatever it
 * holds in weights. Errors: `graph-invalid`, `graph-external-data`, the source's.
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

/**
 * What a description takes in memory per byte of outline, the outline itself included (measured with 20 000 operators:
 * 11.7).
 */
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

/** External data may stand only where a checkpoint tensor can take its place. */
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
