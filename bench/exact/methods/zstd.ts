import { compress, decompress } from '@cloudpss/zstd/napi';
import type { ExactMethod } from '../exact-method.ts';

/**
 * A file's weights as one frame of libzstd (RFC 8878), compressed and decompressed in one call each on the caller's
 * thread.
 */
export function zstd(level: number): ExactMethod {
  return {
    name: `zstd ${level}`,
    encoder:
      ({ bytes }) =>
      () => [compress(bytes, level)],
    decoder: (payloads) => ({ decode: () => payloads.map(decompress), rebuild: ([bytes]) => bytes! }),
  };
}
