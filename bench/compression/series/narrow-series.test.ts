import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseSafetensorsHeader } from '../../../src/checkpoint/safetensors/parse-safetensors.ts';
import { buildSafetensorsHeader } from '../../../src/checkpoint/safetensors/safetensors-header.ts';
import type { Series } from '../../../src/cli/demo/read-series.ts';
import { loadCore } from '../../../src/native/load-core.ts';
import { narrowSeries } from './narrow-series.ts';

let directory: string;
beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), 'firn-narrow-'))));
afterEach(() => rm(directory, { recursive: true }));

test('rounds F32 to the nearest BF16, ties to even, and leaves names, shapes, metadata and other dtypes', async () => {
  const { headerBytes } = buildSafetensorsHeader(
    [
      { name: 'w', dtype: 'F32', shape: [2, 2] },
      { name: 'n', dtype: 'I32', shape: [1] },
    ],
    { format: 'pt' },
  );
  // A tie to the even word below, one to the even word above, a NaN, minus zero.
  const words = Uint32Array.of(0x3f808000, 0x3f818000, 0x7fc00000, 0x80000000, 0x12345678);
  const from = join(directory, 'wide.safetensors');
  await writeFile(from, Buffer.concat([headerBytes, new Uint8Array(words.buffer)]));
  const series = {
    name: 's',
    checkpoints: [{ index: 4, step: 10, modelFiles: [{ path: 'model.safetensors', from }], recorded: {} }],
  } as unknown as Series;

  const narrow = await narrowSeries(series, directory, loadCore());

  expect(narrow.name).toBe('s in BF16');
  const file = await readFile(narrow.checkpoints[0]!.modelFiles[0]!.from);
  const { tensors, metadata } = parseSafetensorsHeader(file, file.length);
  expect(metadata).toEqual({ format: 'pt' });
  expect(tensors.map(({ name, dtype, shape }) => ({ name, dtype, shape }))).toEqual([
    { name: 'w', dtype: 'BF16', shape: [2, 2] },
    { name: 'n', dtype: 'I32', shape: [1] },
  ]);
  const [w, n] = tensors;
  expect([0, 2, 4, 6].map((at) => file.readUInt16LE(w!.startBytes + at))).toEqual([0x3f80, 0x3f82, 0x7fc0, 0x8000]);
  expect(file.readUInt32LE(n!.startBytes)).toBe(0x12345678);
});
