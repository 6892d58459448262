import type { FileHandle } from 'node:fs/promises';

/** Bytes that are gathered for one write: many chunks of a connection, few calls. */
const writeBytes = 2 * 1024 * 1024;

/**
 * Writes a stream to a file from an offset on. `onWritten` gets the bytes of each write, in order; these are there
 * even after an error. Returns nothing: the end of the stream may come early.
 */
export async function writeRange(
  chunks: AsyncIterable<unknown>,
  handle: FileHandle,
  start: number,
  onWritten: (bytes: number) => void,
): Promise<void> {
  let gathered: Buffer[] = [];
  let size = 0;
  let at = start;
  const flush = async (): Promise<void> => {
    const [buffers, length] = [gathered, size];
    [gathered, size] = [[], 0];
    if (length === 0) return;
    await writeAll(handle, buffers, at, length);
    at += length;
    onWritten(length);
  };
  try {
    for await (const chunk of chunks) {
      gathered.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size >= writeBytes) await flush();
    }
  } finally {
    // What arrived before a break counts.
    await flush();
  }
}

/** A write may stop early, on a full disk for one; the next one then says why. */
async function writeAll(handle: FileHandle, buffers: Buffer[], at: number, length: number): Promise<void> {
  const { bytesWritten } = await handle.writev(buffers, at);
  if (bytesWritten === length) return;
  const bytes = Buffer.concat(buffers);
  for (let from = bytesWritten; from < length;)
    from += (await handle.write(bytes, from, length - from, at + from)).bytesWritten;
}
