import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Bytes read at once. */
const readBytes = 1024 * 1024;

/** SHA-256 of a file in hex. */
export async function fileDigest(path: string): Promise<string> {
  return (await hashOfStart(path, Infinity)).digest('hex');
}

/** A SHA-256 to which the first bytes of a file have been added, and to which the caller adds the rest. */
export async function hashOfStart(path: string, bytes: number): Promise<Hash> {
  const hash = createHash('sha256');
  if (bytes === 0) return hash;
  for await (const chunk of createReadStream(path, { end: bytes - 1, highWaterMark: readBytes }))
    hash.update(chunk as Buffer);
  return hash;
}
