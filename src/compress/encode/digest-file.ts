import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { FrameWriter, type Crc32c } from '../../store/frame/object-frame.ts';
import type { QuantizedDigest } from './digest-quantized.ts';

/** Bytes of one read. */
const pieceBytes = 1024 * 1024;

/** Digests of a file on local disk. Rejects with the errors of the file system, and with the signal's reason. */
export async function digestFile(path: string, crc32c: Crc32c, signal?: AbortSignal): Promise<QuantizedDigest> {
  const hash = createHash('sha256');
  const frame = new FrameWriter(crc32c);
  const memory = Buffer.allocUnsafe(pieceBytes);
  const file = await open(path, 'r');
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(memory, 0, pieceBytes, null);
      if (bytesRead === 0) break;
      const piece = memory.subarray(0, bytesRead);
      hash.update(piece);
      frame.add(piece);
    }
  } finally {
    await file.close();
  }
  return { sha256: hash.digest('hex'), checksums: frame.finish() };
}
