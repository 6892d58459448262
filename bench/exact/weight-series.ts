import { existsSync, readFileSync } from 'node:fs';
import { parseSafetensorsHeader } from '../../src/checkpoint/safetensors/parse-safetensors.ts';
import type { ModelFile } from '../../src/cli/demo/model-files.ts';
import type { Series } from '../../src/cli/demo/read-series.ts';
import type { NativeCore } from '../../src/native/core.ts';
import { weightFile, type WeightDtype, type WeightFile } from './weight-file.ts';

/** One series of checkpoints in one dtype. */
export interface WeightSeries {
  /** Description of the words, such as `bf16, rounded`. */
  readonly title: string;
  readonly dtype: WeightDtype;
  readonly checkpoints: readonly WeightCheckpoint[];
}

export interface WeightCheckpoint {
  readonly step: number;
  readonly files: readonly WeightFile[];
}

const ending = '.safetensors';

/**
 * The series in several dtypes. Its binary32 tensors, as they are and rounded to bfloat16 and binary16 (to nearest,
 * ties to even). Tensors stored as bfloat16 and binary16. Files `<name>.bf16.safetensors` beside the checkpoints, if
 * each has one; if they equal the rounded words, they replace them. All other tensors are left out. Throws an Error if
 * nothing is left, or if tensors change from checkpoint to checkpoint.
 */
export async function readWeightSeries(series: Series, core: NativeCore): Promise<WeightSeries[]> {
  const stored = (dtype: WeightDtype, pathOf: (path: string) => string): WeightCheckpoint[] =>
    series.checkpoints.map(({ step, modelFiles }) => ({
      step,
      files: modelFiles.map(({ path, from }) => readFile({ path, from: pathOf(from) }, dtype)),
    }));
  const itself = (path: string): string => path;
  const fp32 = stored('F32', itself);
  const roundedTo = (dtype: WeightDtype): Promise<WeightCheckpoint[]> =>
    Promise.all(
      fp32.map(async ({ step, files }) => ({
        step,
        files: await Promise.all(files.map((file) => round(file, dtype, core))),
      })),
    );
  const rounded = await roundedTo('BF16');
  const own = series.checkpoints.every(({ modelFiles }) => modelFiles.every(({ from }) => existsSync(ownPath(from))))
    ? stored('BF16', ownPath)
    : [];
  const ownIsRounded = sameBytes(own, rounded);
  const all: WeightSeries[] = [
    { title: 'fp32', dtype: 'F32', checkpoints: fp32 },
    { title: 'bf16, rounded from fp32', dtype: 'BF16', checkpoints: ownIsRounded ? [] : rounded },
    { title: 'bf16 tensors of the checkpoints', dtype: 'BF16', checkpoints: stored('BF16', itself) },
    {
      title: ownIsRounded
        ? "bf16, the series' own files (the same words as rounded from fp32)"
        : "bf16, the series' own files",
      dtype: 'BF16',
      checkpoints: own,
    },
    { title: 'fp16, rounded from fp32', dtype: 'F16', checkpoints: await roundedTo('F16') },
    { title: 'fp16 tensors of the checkpoints', dtype: 'F16', checkpoints: stored('F16', itself) },
  ];
  const found = all.filter(({ checkpoints }) =>
    checkpoints.some(({ files }) => files.some(({ bytes }) => bytes.length > 0)),
  );
  if (found.length === 0) throw new Error(`${series.name} has no fp32, bf16 or fp16 tensors`);
  for (const each of found) requireSameTensors(each);
  return found;
}

function ownPath(path: string): string {
  return `${path.slice(0, -ending.length)}.bf16${ending}`;
}

function readFile({ path, from }: ModelFile, dtype: WeightDtype): WeightFile {
  const file = readFileSync(from);
  const { tensors } = parseSafetensorsHeader(file, file.length);
  const taken = tensors.filter((tensor) => tensor.dtype === dtype);
  return weightFile(
    path,
    dtype,
    taken.map(({ name, shape, startBytes, endBytes }) => ({ name, shape, bytes: file.subarray(startBytes, endBytes) })),
  );
}

async function round({ path, layout, bytes }: WeightFile, dtype: WeightDtype, core: NativeCore): Promise<WeightFile> {
  const tensors = layout.tensors.map(async ({ name, shape, startBytes, endBytes }) => {
    return { name, shape, bytes: await core.convert(bytes.slice(startBytes, endBytes), 'F32', dtype) };
  });
  return weightFile(path, dtype, await Promise.all(tensors));
}

function sameBytes(a: readonly WeightCheckpoint[], b: readonly WeightCheckpoint[]): boolean {
  const bytes = (checkpoints: readonly WeightCheckpoint[]): Uint8Array[] =>
    checkpoints.flatMap(({ files }) => files.map((file) => file.bytes));
  const others = bytes(b);
  return a.length === b.length && bytes(a).every((each, i) => Buffer.compare(each, others[i]!) === 0);
}

function requireSameTensors({ title, checkpoints }: WeightSeries): void {
  const shapeOf = ({ files }: WeightCheckpoint): string =>
    JSON.stringify(
      files.map(({ path, layout }) => [path, layout.tensors.map(({ name, elementCount }) => [name, elementCount])]),
    );
  const first = shapeOf(checkpoints[0]!);
  const other = checkpoints.find((checkpoint) => shapeOf(checkpoint) !== first);
  if (other !== undefined) throw new Error(`${title}: step ${other.step} has other tensors than the first checkpoint`);
}
