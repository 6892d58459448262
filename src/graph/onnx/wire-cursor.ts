import { WireType } from '@bufbuild/protobuf/wire';
import { FirnError } from '../../checkpoint/firn-error.ts';

/** A place in protobuf bytes; nothing is read at or after `end`. */
export interface WireCursor {
  readonly bytes: Uint8Array;
  at: number;
  readonly end: number;
}

/** Largest field number protobuf allows. */
const fieldNumberMax = 2 ** 29 - 1;
/** Longest encoding of a 64-bit varint, in bytes. */
export const varintBytesMax = 10;

/** Reads a field's number and wire type. Errors: `graph-invalid`. */
export function readTag(cursor: WireCursor): { readonly number: number; readonly wireType: WireType } {
  const tag = readVarint(cursor);
  const number = Math.floor(tag / 8);
  const wireType = (tag & 7) as WireType;
  if (number < 1 || number > fieldNumberMax || wireType > WireType.Bit32) throw malformedGraph();
  return { number, wireType };
}

/**
 * The value of a varint; only its low 53 bits are exact, which is more than any valid tag or length needs. Errors:
 * `graph-invalid`.
 */
export function readVarint(cursor: WireCursor): number {
  let value = 0;
  let scale = 1;
  for (let length = 0; length < varintBytesMax; length++) {
    if (cursor.at >= cursor.end) throw malformedGraph();
    const byte = cursor.bytes[cursor.at++]!;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
    scale *= 128;
  }
  throw malformedGraph();
}

export function malformedGraph(): FirnError {
  return new FirnError('graph-invalid', 'The graph is not a well-formed ONNX model.');
}
