import { dtypeBytes } from '../checkpoint/dtype.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { quoteName } from '../checkpoint/quote-name.ts';
import type { FloatDtype } from './onnx-dtype.ts';
import type { TensorProto } from './onnx_pb.ts';

/**
 * The little-endian elements of a floating tensor stored in a graph, whichever of ONNX's three ways it is stored in: `raw_data`, a
 * packed list of its own type, or (16-bit types) one varint an element. Usually a view into the file.
 * Errors: `graph-invalid` when the data does not fit the shape.
 */
export function tensorBytes(tensor: TensorProto, dtype: FloatDtype, elementCount: number): Uint8Array {
  const sizeBytes = elementCount * dtypeBytes[dtype];
  const bytes = tensor.rawData.byteLength > 0 ? tensor.rawData : listBytes(tensor, dtype, sizeBytes);
  if (bytes.byteLength !== sizeBytes) throw misfit(tensor);
  return bytes;
}

function listBytes(tensor: TensorProto, dtype: FloatDtype, sizeBytes: number): Uint8Array {
  switch (dtype) {
    case 'F32':
      return joined(tensor.floatData);
    case 'F64':
      return joined(tensor.doubleData);
    case 'F16':
    case 'BF16':
      return wordsOf(tensor, sizeBytes);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

/** Sixteen-bit words, each stored as a varint of at most three bytes. */
function wordsOf(tensor: TensorProto, sizeBytes: number): Uint8Array {
  const varints = joined(tensor.int32Data);
  if (varints.byteLength > sizeBytes * 2) throw misfit(tensor);
  const bytes = new Uint8Array(Math.min(sizeBytes, varints.byteLength * 2));
  let at = 0;
  let word = 0;
  let shift = 0;
  for (const byte of varints) {
    word |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte >= 0x80 && shift < 21) continue;
    if (byte >= 0x80 || word > 0xffff || at + 2 > bytes.byteLength) throw misfit(tensor);
    bytes[at++] = word & 0xff;
    bytes[at++] = word >> 8;
    word = 0;
    shift = 0;
  }
  return bytes.subarray(0, at);
}

function misfit(tensor: TensorProto): FirnError {
  return new FirnError('graph-invalid', `The data of initializer ${quoteName(tensor.name)} does not fit its shape.`);
}
