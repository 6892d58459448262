import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSafetensorsHeader } from '../../../src/checkpoint/safetensors/parse-safetensors.ts';
import { buildSafetensorsHeader } from '../../../src/checkpoint/safetensors/safetensors-header.ts';
import type { Series } from '../../../src/cli/demo/read-series.ts';
import type { NativeCore } from '../../../src/native/core.ts';

/** Dtypes to which a checkpoint's floats may be rounded before compression; gradients stay unchanged. */
export const seriesDtypes = ['as-is', 'bf16'] as const;
export type SeriesDtype = (typeof seriesDtypes)[number];

/**
 * The series with the F32 weights of its model files rounded to BF16 (to nearest, ties to even), written below
 * `directory`. Rejects with the errors of the safetensors parser.
 */
export async function narrowSeries(series: Series, directory: string, core: NativeCore): Promise<Series> {
  const checkpoints = [];
  for (const checkpoint of series.checkpoints) {
    const place = join(directory, `bf16-${checkpoint.index}`);
    await mkdir(place);
    const modelFiles = [];
    for (const { path, from } of checkpoint.modelFiles) {
      await writeFile(join(place, path), await narrowed(await readFile(from), core));
      modelFiles.push({ path, from: join(place, path) });
    }
    checkpoints.push({ ...checkpoint, modelFiles });
  }
  return { ...series, name: `${series.name} in BF16`, checkpoints };
}

async function narrowed(file: Uint8Array, core: NativeCore): Promise<Uint8Array> {
  const { tensors, metadata } = parseSafetensorsHeader(file, file.length);
  const pieces = await Promise.all(
    tensors.map(({ dtype, startBytes, endBytes }) => {
      const bytes = file.slice(startBytes, endBytes);
      return dtype === 'F32' ? core.convert(bytes, 'F32', 'BF16') : bytes;
    }),
  );
  const { headerBytes } = buildSafetensorsHeader(
    tensors.map((tensor) => (tensor.dtype === 'F32' ? { ...tensor, dtype: 'BF16' } : tensor)),
    metadata,
  );
  return Buffer.concat([headerBytes, ...pieces]);
}
