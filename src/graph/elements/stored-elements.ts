import { dtypeBytes } from '../../checkpoint/dtype.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import type { GraphSpan } from '../onnx/graph-source.ts';
import type { FloatDtype } from '../onnx/onnx-dtype.ts';
import type { TensorProto } from '../onnx/onnx_pb.ts';

/** Place and encoding of a floating tensor's elements in a graph file. */
export interface StoredElements {
  /** Little-endian elements, or 16-bit words as one varint each. */
  readonly encoding: 'elements' | 'varints';
  /** Concatenated, they are the whole. */
  readonly spans: readonly GraphSpan[];
  /** Size of the decoded elements. */
  readonly sizeBytes: number;
}

/** Most bytes of a varint that encodes a word; it has at least one. */
const wordVarintBytesMax = 3;

/**
 * Finds a floating tensor's elements, in whichever of ONNX's three ways they are stored: `raw_data`, a packed list of
 * their own type, or (16-bit types) one varint per element. `spanOf` returns the place of a payload in the file.
 * Errors: `graph-invalid` when its length does not fit the shape.
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
