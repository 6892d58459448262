import type { Dtype } from '../../checkpoint/dtype.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { parseSafetensorsHeader } from '../../checkpoint/safetensors/parse-safetensors.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';

/** A tensor in a mapped file; `bytes` are little-endian elements, not necessarily aligned. */
export interface LocalTensor {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly elementCount: number;
  readonly bytes: Uint8Array;
}

/**
 * The tensors of some safetensors files, by name, as views into the mapped files.
 * Errors: those of the header's parser, `tensor-duplicate` for a name in two files.
 */
export function openTensors(
  paths: readonly string[],
  mapFile: (path: string) => ArrayBuffer,
): Map<string, LocalTensor> {
  const tensors = new Map<string, LocalTensor>();
  for (const path of paths) {
    const file = new Uint8Array(mapFile(path));
    for (const { name, dtype, shape, elementCount, startBytes, endBytes } of parseSafetensorsHeader(
      file,
      file.byteLength,
    ).tensors) {
      if (tensors.has(name))
        throw new FirnError('tensor-duplicate', `Tensor ${quoteName(name)} is in two of the files.`);
      tensors.set(name, { name, dtype, shape, elementCount, bytes: file.subarray(startBytes, endBytes) });
    }
  }
  return tensors;
}
