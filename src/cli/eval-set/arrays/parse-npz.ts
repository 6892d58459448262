import { inflateRawSync } from 'node:zlib';
import { parseNpy, type NumberArray } from './parse-npy.ts';

/** Most arrays of one file. */
const entriesMax = 10_000;
/** Largest array, in bytes. */
const arrayBytesMax = 2 ** 31 - 1;
const [endSignature, entrySignature, localSignature] = [0x06054b50, 0x02014b50, 0x04034b50];
/** Bytes of the records of a zip file without their variable parts. */
const [endBytes, entryBytes, localBytes] = [22, 46, 30];
/** Longest comment after the last record, in bytes. */
const commentBytesMax = 65_535;
const [stored, deflated] = [0, 8];

/**
 * Parses a .npz file: a zip file of .npy files, as numpy.savez and numpy.savez_compressed write it. Returns the arrays
 * by their names. `name` is for messages. Throws an Error with one sentence.
 */
export function parseNpz(file: Uint8Array, name: string): Map<string, NumberArray> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const refuse = (): never => {
    throw new Error(`${name} is no .npz file that can be read: write it with numpy.savez.`);
  };
  try {
    const end = findEnd(view);
    const [count, directory] = [view.getUint16(end + 10, true), view.getUint32(end + 16, true)];
    if (count > entriesMax) refuse();
    const arrays = new Map<string, NumberArray>();
    for (let entry = 0, at = directory; entry < count; entry++) {
      if (view.getUint32(at, true) !== entrySignature) refuse();
      const nameLength = view.getUint16(at + 28, true);
      const path = Buffer.from(file.subarray(at + entryBytes, at + entryBytes + nameLength)).toString('utf8');
      const key = path.replace(/\.npy$/, '');
      if (arrays.has(key)) refuse();
      arrays.set(key, parseNpy(readEntry(file, view, at), `${name}: ${key.slice(0, 100)}`));
      at += entryBytes + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    }
    return arrays;
  } catch (error) {
    // Beyond the end of the file, or what zlib refuses.
    if (error instanceof RangeError || (error as NodeJS.ErrnoException).code?.startsWith('Z_') === true) refuse();
    throw error;
  }
}

function findEnd(view: DataView): number {
  const last = view.byteLength - endBytes;
  for (let at = last; at >= Math.max(0, last - commentBytesMax); at--)
    if (view.getUint32(at, true) === endSignature) return at;
  throw new RangeError('no end of a zip file');
}

/** The bytes of an entry, by its record in the directory. */
function readEntry(file: Uint8Array, view: DataView, at: number): Uint8Array {
  const method = view.getUint16(at + 10, true);
  const [packedBytes, sizeBytes] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
  const local = view.getUint32(at + 42, true);
  if (sizeBytes > arrayBytesMax || view.getUint32(local, true) !== localSignature)
    throw new RangeError('no such entry');
  const start = local + localBytes + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const packed = file.subarray(start, start + packedBytes);
  if (packed.length !== packedBytes || (method !== stored && method !== deflated)) throw new RangeError('cut off');
  const bytes = method === stored ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, sizeBytes) });
  if (bytes.length !== sizeBytes) throw new RangeError('another length');
  return bytes;
}
