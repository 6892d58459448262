import { open, rm } from 'node:fs/promises';
import { digestBytes, type FileDigest } from './digest-bytes.ts';

/**
 * Writes a stream to a new file at `path` and returns the digest of the written bytes. A failure leaves no file behind.
 * Rejects with the stream's errors and those of the file system (an existing file is one).
 */
export function restoreToFile(bytes: AsyncIterable<Uint8Array>, path: string): Promise<FileDigest> {
  return restoreThrough(bytes, path, digestBytes);
}

/** Like `restoreToFile`, but `read` computes the result: it reads the stream that it is given to its end. */
export async function restoreThrough<T>(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  read: (written: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const file = await open(path, 'wx');
  try {
    const found = await read(written(bytes, (piece) => file.writeFile(piece)));
    await file.close();
    return found;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

async function* written(
  bytes: AsyncIterable<Uint8Array>,
  write: (piece: Uint8Array) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    await write(piece);
    yield piece;
  }
}
