/**
 * Prints the errors of a series' weights after storage, tensor by tensor.
 *
 *     npx tsx bench/series/weight-errors.ts SERIES KEPT [--json FILE]
 *     npx tsx bench/series/weight-errors.ts UPLOADED REBUILT [BEFORE] --files
 *
 * KEPT is the folder of `npm run demo -- SERIES --keep KEPT`. With --files it reads two safetensors files, and the
 * checkpoint before.
 *
 * Movement is the difference between the uploads of a checkpoint and the one before it in the series. Tensors without
 * floating values are left out.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isQuantizable } from '../../src/checkpoint/dtype.ts';
import { parseSafetensorsHeader } from '../../src/checkpoint/safetensors/parse-safetensors.ts';
import { planPushes } from '../../src/cli/demo/push-series.ts';
import { readSeries } from '../../src/cli/demo/read-series.ts';
import type { NativeCore } from '../../src/native/core.ts';
import { loadCore } from '../../src/native/load-core.ts';
import { floatsOf } from '../compression/series/checkpoint-weights.ts';
import { totalMovementLost, weightError, type ComparedTensor, type WeightError } from './weight-error.ts';

interface Checkpoint {
  readonly name: string;
  readonly uploaded: readonly string[];
  readonly rebuilt: readonly string[];
  readonly before: readonly string[];
}

interface ErrorsOfCheckpoint {
  readonly name: string;
  readonly movementLost: number | undefined;
  readonly tensors: readonly WeightError[];
}

async function readFloats(paths: readonly string[], core: NativeCore): Promise<Map<string, Float32Array>> {
  const tensors = new Map<string, Float32Array>();
  for (const path of paths) {
    const file = readFileSync(path);
    for (const { name, dtype, startBytes, endBytes } of parseSafetensorsHeader(file, file.length).tensors) {
      if (!isQuantizable(dtype)) continue;
      tensors.set(
        name,
        floatsOf(await core.convert(new Uint8Array(file.subarray(startBytes, endBytes)), dtype, 'F32')),
      );
    }
  }
  return tensors;
}

async function compare({ name, uploaded, rebuilt, before }: Checkpoint, core: NativeCore): Promise<ErrorsOfCheckpoint> {
  const [weights, back, earlier] = [
    await readFloats(uploaded, core),
    await readFloats(rebuilt, core),
    await readFloats(before, core),
  ];
  const tensors = [...weights].map(([tensor, values]): ComparedTensor => {
    const found = back.get(tensor);
    if (found === undefined) throw new Error(`${name}: ${tensor} did not come back`);
    return { name: tensor, weights: values, rebuilt: found, before: earlier.get(tensor) };
  });
  return {
    name,
    movementLost: before.length === 0 ? undefined : totalMovementLost(tensors),
    tensors: tensors.map(weightError),
  };
}

/** Everything that the demo pushed, including checkpoints before its crash. */
function pushedCheckpoints(seriesDirectory: string, kept: string): Checkpoint[] {
  const series = readSeries(seriesDirectory);
  const { first, fork } = planPushes(series);
  return [first, ...(fork === undefined ? [] : [fork])].flatMap(({ run, checkpoints }) =>
    checkpoints.map((checkpoint) => {
      const name = `${run}-${checkpoint.step}`;
      const earlier = series.checkpoints[series.checkpoints.indexOf(checkpoint) - 1];
      return {
        name,
        uploaded: checkpoint.modelFiles.map(({ from }) => from),
        rebuilt: checkpoint.modelFiles.map(({ path }) => join(kept, name, path)),
        before: earlier?.modelFiles.map(({ from }) => from) ?? [],
      };
    }),
  );
}

const percent = (value: number | undefined): string =>
  (value === undefined ? '-' : `${(100 * value).toFixed(2)} %`).padStart(10);

function lineOf({ name, movementLost, tensors }: ErrorsOfCheckpoint): string {
  const worst = tensors.reduce((most, tensor) => (tensor.relativeError > most.relativeError ? tensor : most));
  const sorted = tensors.map(({ relativeError }) => relativeError).sort((a, b) => a - b);
  const changed = tensors.filter(({ relativeError }) => relativeError > 0).length;
  const collapsed = tensors.filter((tensor) => tensor.collapsed).length;
  return (
    `${name.padEnd(22)} ${percent(sorted[sorted.length >> 1])} ${percent(worst.relativeError)} ` +
    `${percent(movementLost)} ` +
    `${String(changed).padStart(4)}/${tensors.length} ${String(collapsed).padStart(3)} ${worst.name}`
  );
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'string' }, files: { type: 'boolean', default: false } },
  });
  const [left, right, before] = positionals;
  if (left === undefined || right === undefined) throw new Error('two series or files are wanted');
  const checkpoints = values.files
    ? [{ name: 'files', uploaded: [left], rebuilt: [right], before: before === undefined ? [] : [before] }]
    : pushedCheckpoints(left, right);
  const missing = checkpoints.flatMap(({ rebuilt }) => rebuilt).find((path) => !existsSync(path));
  if (missing !== undefined) throw new Error(`${missing} does not exist`);
  const core = loadCore({ threads: 1 });
  const compared: ErrorsOfCheckpoint[] = [];
  console.log(`${'checkpoint'.padEnd(22)} median err  worst err  move lost  changed  one  worst tensor`);
  for (const checkpoint of checkpoints) {
    compared.push(await compare(checkpoint, core));
    console.log(lineOf(compared.at(-1)!));
  }
  if (values.files)
    for (const { name, relativeError, movementLost } of compared[0]!.tensors)
      console.log(`${percent(relativeError)} ${percent(movementLost)} ${name}`);
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(compared, undefined, 1));
}

await main();
