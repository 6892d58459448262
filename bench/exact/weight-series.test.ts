import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Dtype } from '../../src/checkpoint/dtype.ts';
import { buildSafetensorsHeader } from '../../src/checkpoint/safetensors/safetensors-header.ts';
import type { Series } from '../../src/cli/demo/read-series.ts';
import { loadCore } from '../../src/native/load-core.ts';
import { readWeightSeries } from './weight-series.ts';

const core = loadCore({ threads: 1 });
let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'firn-exact-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

interface Tensor {
  readonly name: string;
  readonly dtype: Dtype;
  readonly words: Uint32Array | Uint16Array | BigInt64Array;
}

function write(file: string, tensors: readonly Tensor[]): void {
  const layout = buildSafetensorsHeader(
    tensors.map(({ name, dtype, words }) => ({ name, dtype, shape: [words.length] })),
  );
  const bytes = new Uint8Array(layout.sizeBytes);
  bytes.set(layout.headerBytes);
  layout.tensors.forEach(({ startBytes }, i) => bytes.set(new Uint8Array(tensors[i]!.words.buffer), startBytes));
  writeFileSync(join(directory, file), bytes);
}

function seriesOf(...files: readonly string[]): Series {
  const checkpoints = files.map((file, index) => ({
    index,
    step: 10 * index,
    modelFiles: [{ path: 'model.safetensors', from: join(directory, file) }],
    recorded: {},
  }));
  return {
    name: 's',
    metric: 'loss',
    metrics: ['loss'],
    directions: {},
    graphPath: '',
    batchesPath: '',
    graphInput: '',
    graphOutput: '',
    checkpoints,
  };
}

const f32 = (name: string, ...words: readonly number[]): Tensor => ({
  name,
  dtype: 'F32',
  words: Uint32Array.from(words),
});
const bf16 = (name: string, ...words: readonly number[]): Tensor => ({
  name,
  dtype: 'BF16',
  words: Uint16Array.from(words),
});

test('fp32 tensors count as they are and rounded to nearest even; integers are left out', async () => {
  write('a.safetensors', [
    f32('w', 0x3f808000, 0x3f818000, 0xbf808001),
    { name: 'steps', dtype: 'I64', words: BigInt64Array.of(7n) },
  ]);
  const [fp32, rounded, half, ...others] = await readWeightSeries(seriesOf('a.safetensors'), core);
  expect(others).toEqual([]);
  expect([...new Uint32Array(fp32!.checkpoints[0]!.files[0]!.bytes.buffer)]).toEqual([
    0x3f808000, 0x3f818000, 0xbf808001,
  ]);
  expect([...new Uint16Array(rounded!.checkpoints[0]!.files[0]!.bytes.buffer)]).toEqual([0x3f80, 0x3f82, 0xbf81]);
  expect([...new Uint16Array(half!.checkpoints[0]!.files[0]!.bytes.buffer)]).toEqual([0x3c04, 0x3c0c, 0xbc04]);
});

test("a series' own bf16 files replace the rounded words if they are the same", async () => {
  write('a.safetensors', [f32('w', 0x3f800000, 0x40000000)]);
  write('a.bf16.safetensors', [bf16('w', 0x3f80, 0x4000)]);
  const titles = async (): Promise<string[]> =>
    (await readWeightSeries(seriesOf('a.safetensors'), core)).map(({ title }) => title);
  expect(await titles()).toEqual([
    'fp32',
    "bf16, the series' own files (the same words as rounded from fp32)",
    'fp16, rounded from fp32',
  ]);
  write('a.bf16.safetensors', [bf16('w', 0x3f81, 0x4000)]);
  expect(await titles()).toEqual([
    'fp32',
    'bf16, rounded from fp32',
    "bf16, the series' own files",
    'fp16, rounded from fp32',
  ]);
});

test('tensors stored as bf16 or fp16 are a series', async () => {
  write('a.safetensors', [bf16('w', 1, 2, 3)]);
  expect((await readWeightSeries(seriesOf('a.safetensors'), core)).map(({ title }) => title)).toEqual([
    'bf16 tensors of the checkpoints',
  ]);
  write('a.safetensors', [{ name: 'w', dtype: 'F16', words: Uint16Array.of(1, 2) }]);
  expect((await readWeightSeries(seriesOf('a.safetensors'), core)).map(({ title }) => title)).toEqual([
    'fp16 tensors of the checkpoints',
  ]);
});

test('a series without weights, or whose tensors change, is refused', async () => {
  write('a.safetensors', [{ name: 'steps', dtype: 'I64', words: BigInt64Array.of(7n) }]);
  await expect(readWeightSeries(seriesOf('a.safetensors'), core)).rejects.toThrow('no fp32, bf16 or fp16 tensors');
  write('a.safetensors', [f32('w', 1, 2)]);
  write('b.safetensors', [f32('w', 1, 2, 3)]);
  await expect(readWeightSeries(seriesOf('a.safetensors', 'b.safetensors'), core)).rejects.toThrow(
    'step 10 has other tensors',
  );
});
