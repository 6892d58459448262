import { dtypeBytes } from '../../checkpoint/dtype.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { quoteName } from '../../checkpoint/quote-name.ts';
import type { GraphSpan } from '../onnx/graph-source.ts';
import type { FloatDtype } from '../onnx/onnx-dtype.ts';
import type { TensorProto } from '../onnx/onnx_pb.ts';

/** Where the elements of a floating tensor lie in a graph file, and how. */
export interface StoredElements {
  /** Little-endian elements, or 16-bit words as one varint each. */
  readonly encoding: 'elements' | 'varints';
  /** One after another they are the whole. */
  readonly spans: readonly GraphSpan[];
  /** Of the elements, decoded. */
  readonly sizeBytes: number;
}

/** Varints that can hold a word: one byte at least, three at most. */
const wordVarintBytesMax = 3;

/**
 * Finds a floating tensor's elements, whichever of ONNX's three ways they are stored in: `raw_data`, a packed list of
 * their own type, or (16-bit types) one varint an element. `spanOf` says where a payload lies in the file. Errors:
 * `graph-invalid` when its length does not fit the shape.
 */
export function storedElements(
  tensor: TensorProto,
  tensorType: { dtype: FloatDtype; elementCount: number },
  spanOf: SpanOf,
): StoredElements {
  const { dtype, elementCount } = tensorType;
  const sizeBytes = elementCount * dtypeBytes[dtype];
  const isRaw = tensor.rawData.byteLength > 0;
  const spans = (isRaw ? [tensor.rawData] : listOf(tensor, dtype)).map(spanOf);
  const encoding = isRaw || dtype === 'F32' || dtype === 'F64' ? 'elements' : 'varints';
  const lengthBytes = spans.reduce((sum, span) => sum + span.lengthBytes, 0);
  const fits =
    encoding === 'elements'
      ? lengthBytes === sizeBytes
      : lengthBytes >= elementCount && lengthBytes <= wordVarintBytesMax * elementCount;
  if (!fits)
    throw new FirnError('graph-invalid', `The data of initializer ${quoteName(tensor.name)} does not fit its shape.`);
  return { encoding, spans, sizeBytes };
}

export type SpanOf = (payload: Uint8Array) => GraphSpan;

function listOf(tensor: TensorProto, dtype: FloatDtype): readonly Uint8Array[] {
  switch (dtype) {
    case 'F32':
      return tensor.floatData;
    case 'F64':
      return tensor.doubleData;
    case 'F16':
    case 'BF16':
      return tensor.int32Data;
  }
}
