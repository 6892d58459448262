import { FrameWriter, type Crc32c } from '../../store/frame/object-frame.ts';

/**
 * Length and checksums of a stream: the frame that it would have as a stored object, with a CRC-32C for every chunk of
 * it. Equal for equal bytes whatever the pieces, and made ten times as fast as a SHA-256 on a processor without
 * instructions for that; it tells bytes apart that went wrong, not bytes that somebody chose. Rejects with the stream's
 * errors.
 */
export async function checksumBytes(bytes: AsyncIterable<Uint8Array>, crc32c: Crc32c): Promise<Uint8Array> {
  const frame = new FrameWriter(crc32c);
  for await (const piece of bytes) frame.add(piece);
  return frame.finish();
}
