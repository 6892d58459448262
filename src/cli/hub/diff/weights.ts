import { SafetensorsHeaderReader } from '../../../checkpoint/safetensors/safetensors-header-reader.ts';
import type { TensorEntry } from '../../../checkpoint/safetensors/safetensors-layout.ts';
import type { ByteSource } from './byte-source.ts';

/** Bytes that are fetched at once; tensors that follow each other come together. */
const windowBytes = 8 * 1024 * 1024;
/** Bytes that are fetched of a header first; most are smaller. */
const headerBytes = 256 * 1024;

/** A tensor, and the file that holds it. */
export interface StoredTensor extends TensorEntry {
  /** Bytes of the tensor, from its own start. At most `windowBytes` at once. */
  read(start: number, end: number): Promise<Buffer>;
}

/** Most bytes that are read of a tensor at once. A multiple of every element's size. */
export const pieceBytes = windowBytes;

/** The tensors of the files, in the order in which they lie there. */
export async function listTensors(sources: readonly ByteSource[]): Promise<StoredTensor[]> {
  const lists = await Promise.all(
    sources.map(async (source) => {
      const read = readAhead(source);
      return (await readHeader(source)).map((tensor) => ({
        ...tensor,
        read: (start: number, end: number) => read(tensor.startBytes + start, tensor.startBytes + end),
      }));
    }),
  );
  return lists.flat();
}

async function readHeader(source: ByteSource): Promise<readonly TensorEntry[]> {
  const reader = new SafetensorsHeaderReader(source.sizeBytes);
  for (let at = 0; at < source.sizeBytes; at += headerBytes) {
    const layout = reader.push(await source.read(at, Math.min(source.sizeBytes, at + headerBytes)));
    if (layout !== undefined) return layout.tensors;
  }
  return reader.finish().tensors;
}

/** Reads more than is asked for, since what follows is asked for next. */
function readAhead(source: ByteSource): (start: number, end: number) => Promise<Buffer> {
  let window: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  return async (start, end) => {
    if (start < window.start || end > window.start + window.bytes.length) {
      const until = Math.min(source.sizeBytes, Math.max(end, start + windowBytes));
      window = { start, bytes: await source.read(start, until) };
    }
    return window.bytes.subarray(start - window.start, end - window.start);
  };
}
