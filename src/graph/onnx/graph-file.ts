import { open, type FileHandle } from 'node:fs/promises';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { GraphSource } from './graph-source.ts';

/** An open graph on local disk; the caller closes it. */
export interface GraphFile extends GraphSource {
  close(): Promise<void>;
}

/**
 * Opens a graph on local disk. Rejects with the file system's errors; reading past the end of a truncated file rejects
 * with `internal`.
 */
export async function openGraphFile(path: string): Promise<GraphFile> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    return {
      sizeBytes: size,
      fill: (target, startBytes) => fill(handle, target, startBytes),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function fill(handle: FileHandle, target: Uint8Array, startBytes: number): Promise<void> {
  for (let filled = 0; filled < target.byteLength;) {
    const { bytesRead } = await handle.read(target, filled, target.byteLength - filled, startBytes + filled);
    if (bytesRead === 0) throw new FirnError('internal', 'A local graph file is shorter than it was.');
    filled += bytesRead;
  }
}
