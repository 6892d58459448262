import type { Dtype } from '../../../checkpoint/dtype.ts';

/** Rows of numbers, little-endian, the last axis closest together. */
export interface NumberArray {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Longest header that is read, in bytes; numpy's are about a hundred. */
const headerBytesMax = 64 * 1024;
const axesMax = 32;

/** Names of safetensors for numpy's kinds. A kind of one byte has no byte order. */
const dtypes: Readonly<Record<string, readonly [dtype: Dtype, bytes: number]>> = {
  '<f8': ['F64', 8],
  '<f4': ['F32', 4],
  '<f2': ['F16', 2],
  '<i8': ['I64', 8],
  '<i4': ['I32', 4],
  '<i2': ['I16', 2],
  '|i1': ['I8', 1],
  '<u8': ['U64', 8],
  '<u4': ['U32', 4],
  '<u2': ['U16', 2],
  '|u1': ['U8', 1],
  '|b1': ['BOOL', 1],
};

/**
 * Parses a .npy file (numpy's format, versions 1 to 3). `name` is for messages. Throws an Error with one sentence that
 * says how to save it otherwise.
 */
export function parseNpy(file: Uint8Array, name: string): NumberArray {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const isNpy = file.length >= 10 && view.getUint32(0) === 0x934e554d && view.getUint16(4) === 0x5059;
  const version = isNpy ? file[6]! : 0;
  if (version < 1 || version > 3 || file.length < 12)
    throw new Error(`${name} is no .npy file: write it with numpy.save.`);
  const [start, length] = version === 1 ? [10, view.getUint16(8, true)] : [12, view.getUint32(8, true)];
  if (length > headerBytesMax || start + length > file.length) throw new Error(`${name} is cut off: save it again.`);
  const header = Buffer.from(file.subarray(start, start + length)).toString('latin1');
  const { dtype, elementBytes, shape } = readHeader(header, name);
  const bytes = file.subarray(start + length);
  if (bytes.length !== shape.reduce((product, size) => product * size, elementBytes))
    throw new Error(
      `${name} has ${bytes.length} bytes of numbers, which is not what its shape [${shape.join(', ')}] takes.`,
    );
  return { dtype, shape, bytes };
}

function readHeader(header: string, name: string): { dtype: Dtype; elementBytes: number; shape: number[] } {
  const kind = /'descr': '([<>|=]?[a-zA-Z]\d{1,4})'/.exec(header)?.[1];
  const order = /'fortran_order': (True|False)/.exec(header)?.[1];
  const axes = /'shape': \(([\d, ]*)\)/.exec(header)?.[1];
  if (order === undefined || axes === undefined || axes.length > axesMax * 20)
    throw new Error(`${name} is no .npy file that can be read: write it with numpy.save.`);
  const known = kind !== undefined && Object.hasOwn(dtypes, kind) ? dtypes[kind] : undefined;
  if (known === undefined)
    throw new Error(
      `${name} has elements of ${kind ?? 'a kind of its own'}: save numbers, such as a.astype("float32").`,
    );
  if (order === 'True') throw new Error(`${name} is in Fortran order: save numpy.ascontiguousarray(a).`);
  const shape = axes
    .split(',')
    .map((size) => size.trim())
    .filter((size) => size !== '')
    .map(Number);
  if (shape.length > axesMax || !shape.every(Number.isSafeInteger))
    throw new Error(`${name} has a shape that is none.`);
  return { dtype: known[0], elementBytes: known[1], shape };
}
