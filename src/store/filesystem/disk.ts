import type { FileHandle } from 'node:fs/promises';
import type * as fs from 'node:fs/promises';
import { diskError } from './disk-error.ts';

/** The part of node:fs/promises that the filesystem store uses; passed in so that tests can make it fail. */
export type Disk = Pick<typeof fs, 'link' | 'mkdir' | 'open' | 'readdir' | 'rename' | 'stat' | 'unlink'>;

/** The result of a disk call, with its failure translated. */
export function onDisk<T>(call: Promise<T>): Promise<T> {
  return call.catch((err: unknown) => {
    throw diskError(err);
  });
}

/** Writes all of `bytes` at `positionBytes`. */
export async function writeFully(handle: FileHandle, bytes: Uint8Array, positionBytes: number): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await onDisk(handle.write(bytes, at, bytes.length - at, positionBytes + at));
    at += bytesWritten;
  }
}

/**
 * Exactly `lengthBytes` from `positionBytes`, or fewer if the file ends. They are at the start of `room` if it is
 * given. The caller owns the buffer.
 */
export async function readFully(
  handle: FileHandle,
  positionBytes: number,
  lengthBytes: number,
  room?: Uint8Array,
): Promise<Uint8Array> {
  const bytes = room ?? Buffer.allocUnsafeSlow(lengthBytes);
  let at = 0;
  while (at < lengthBytes) {
    const { bytesRead } = await onDisk(handle.read(bytes, at, lengthBytes - at, positionBytes + at));
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/** Makes a folder's entries durable. */
export async function syncFolder(disk: Disk, folder: string): Promise<void> {
  const handle = await onDisk(disk.open(folder, 'r'));
  try {
    await onDisk(handle.sync());
  } finally {
    await handle.close();
  }
}
