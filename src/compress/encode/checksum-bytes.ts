import { FrameWriter, type Crc32c } from '../../store/frame/object-frame.ts';

/**
 * Length and checksums of a stream: its frame as a stored object, with a CRC-32C for every chunk. Equal bytes give
 * equal checksums, however they are cut into pieces. It is ten times as fast as SHA-256 on a processor without
 * instructions for that. It detects errors, not bytes chosen by an attacker. Rejects with the stream's errors.
 */
export async function checksumBytes(bytes: AsyncIterable<Uint8Array>, crc32c: Crc32c): Promise<Uint8Array> {
  const frame = new FrameWriter(crc32c);
  for await (const piece of bytes) frame.add(piece);
  return frame.finish();
}
