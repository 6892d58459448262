import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSafetensorsHeader } from '../../src/checkpoint/safetensors/parse-safetensors.ts';
import type { HubClient } from '../../src/cli/demo/hub-client.ts';
import type { Series, SeriesCheckpoint } from '../../src/cli/demo/read-series.ts';
import type { NativeCore } from '../../src/native/core.ts';
import { runBitSnap } from '../compression/bitsnap-run.ts';
import { addParts, noBytes, rawParts, type PartBytes } from './part-bytes.ts';
import type { StateArm } from './state-arm.ts';
import { StateRun } from './state-run.ts';

/** One method on the whole series. */
export interface StateBytes {
  readonly describe: string;
  readonly parts: PartBytes;
}

export interface BytesComparison {
  readonly hub: HubClient;
  readonly core: NativeCore;
  /** Only checkpoints with optimizer state (`withState`). */
  readonly series: Series;
  readonly threshold: number;
  readonly arms: readonly StateArm[];
  readonly directory: string;
  readonly onProgress: (line: string) => void;
}

/** The checkpoints of a series with optimizer state, `NAME.optim.safetensors`. */
export function withState(series: Series): Series {
  const checkpoints = series.checkpoints.flatMap((checkpoint): SeriesCheckpoint[] => {
    const [first] = checkpoint.modelFiles;
    const optimizerPath = first!.from.replace(/\.safetensors$/, '.optim.safetensors');
    return checkpoint.modelFiles.length === 1 && existsSync(optimizerPath) ? [{ ...checkpoint, optimizerPath }] : [];
  });
  if (checkpoints.length === 0) throw new Error('no checkpoint of the series has optimizer state beside it');
  return { ...series, checkpoints };
}

/**
 * Bytes as uploaded, then those of every arm, and of BitSnap throughout: its weights in BF16, its moments as a hub
 * stores them.
 */
export async function compareBytes(comparison: BytesComparison): Promise<StateBytes[]> {
  const { hub, core, series, arms, directory, onProgress } = comparison;
  const place = { hub, core, directory, name: 'state-bytes', series };
  const results: StateBytes[] = [{ describe: 'as uploaded', parts: rawBytes(series) }];
  let bitSnapMoments: PartBytes | undefined;
  for (const arm of arms) {
    const run = await StateRun.create(place, arm, [series.metric]);
    for (const checkpoint of series.checkpoints) await run.push(checkpoint);
    results.push({ describe: arm.describe, parts: run.parts });
    if (arm.state === 'bitsnap') bitSnapMoments = run.parts;
    onProgress(`${arm.describe}: ratio ${(run.rawBytes / run.storedBytes).toFixed(2)}`);
  }
  if (bitSnapMoments !== undefined)
    results.push({
      describe: 'BitSnap, weights too',
      parts: { ...bitSnapMoments, weights: await bitSnapWeights(comparison) },
    });
  return results;
}

function rawBytes({ checkpoints }: Series): PartBytes {
  return checkpoints
    .flatMap(({ modelFiles, optimizerPath }) => [modelFiles[0]!.from, optimizerPath!])
    .map((path) => {
      const file = readFileSync(path);
      return rawParts(parseSafetensorsHeader(file, file.length).tensors, file.length);
    })
    .reduce(addParts, noBytes);
}

async function bitSnapWeights({
  hub,
  core,
  series,
  threshold,
  directory,
  onProgress,
}: BytesComparison): Promise<number> {
  const packages = join(directory, 'bitsnap');
  await mkdir(packages);
  const { statuses } = await runBitSnap(
    { hub, core, series, directory: packages },
    { thresholds: { [series.metric]: threshold }, onProgress },
  );
  return statuses.reduce((sum, { result }) => sum + result!.storedBytes, 0);
}
