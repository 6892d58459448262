import { createHash } from 'node:crypto';

/** Length and SHA-256 (hex) of a stream. */
export interface FileDigest {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Reads `bytes` to its end. Rejects with the stream's errors. */
export async function digestBytes(bytes: AsyncIterable<Uint8Array>): Promise<FileDigest> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const piece of bytes) {
    hash.update(piece);
    sizeBytes += piece.length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}
