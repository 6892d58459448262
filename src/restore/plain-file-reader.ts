import { open } from 'node:fs/promises';
import { FirnError } from '../checkpoint/firn-error.ts';
import { corruptPackage } from '../package/corrupt-package.ts';
import type { ObjectReader } from '../store/object-store.ts';

/** Largest piece of a stream, in bytes. */
const pieceBytesMax = 1024 * 1024;

/**
 * Opens an ordinary file, such as a downloaded package, as an object. The file has no frame, so the reader checks no
 * checksums. Rejects with `not-found`.
 */
export async function openPlainFile(path: string): Promise<ObjectReader> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw new FirnError('not-found', `The file ${path} cannot be opened.`, { cause });
  });
  const { size: sizeBytes } = await file.stat();
  const read = async (offsetBytes: number, lengthBytes: number): Promise<Uint8Array> => {
    if (offsetBytes < 0 || lengthBytes < 0 || offsetBytes + lengthBytes > sizeBytes)
      throw new FirnError('invalid-request', 'The range lies outside the file.');
    const bytes = new Uint8Array(lengthBytes);
    for (let filled = 0; filled < lengthBytes;) {
      const { bytesRead } = await file.read(bytes, filled, lengthBytes - filled, offsetBytes + filled);
      if (bytesRead === 0) throw corruptPackage(`${path} became shorter while it was read`);
      filled += bytesRead;
    }
    return bytes;
  };
  return {
    sizeBytes,
    read,
    stream: async function* (startBytes = 0, endBytes = sizeBytes) {
      for (let at = startBytes; at < endBytes; at += pieceBytesMax)
        yield await read(at, Math.min(pieceBytesMax, endBytes - at));
    },
    close: () => file.close(),
  };
}
