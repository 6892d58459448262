import { join } from 'node:path';
import type { QuantizationConfig } from '../../src/checkpoint/options/quantization-config.ts';
import type { SearchOptions } from '../../src/checkpoint/options/search-options.ts';
import type { QualityThresholds } from '../../src/checkpoint/quality/quality.ts';
import { describeConfig } from '../../src/cli/demo/describe-config.ts';
import type { HubClient } from '../../src/cli/demo/hub-client.ts';
import { pushCheckpoint, type CheckpointStatus } from '../../src/cli/demo/push-series.ts';
import type { Series } from '../../src/cli/demo/read-series.ts';
import type { NativeCore } from '../../src/native/core.ts';
import { benchEvalSet } from '../prepare-bench-hub.ts';
import { StoredSeries, type StoredCheckpoint } from './series/stored-series.ts';

export interface HubRunPlan {
  /** Name of the run at the hub: letters, digits and dashes. */
  readonly run: string;
  readonly thresholds: QualityThresholds;
  readonly search: Partial<SearchOptions>;
}

/** A run at a hub after its last checkpoint, and the content of its packages. */
export interface HubRun {
  readonly statuses: readonly CheckpointStatus[];
  /** By checkpoint. */
  readonly stored: readonly StoredCheckpoint[];
  /** Seconds of the hub's encode phases. */
  readonly encodeSeconds: number;
  readonly decodeSeconds: number;
}

/** A hub with a repository and an eval set for a series. */
export interface BenchPlace {
  readonly hub: HubClient;
  readonly repository: string;
  readonly series: Series;
  readonly core: NativeCore;
  /** Folder for packages. */
  readonly directory: string;
}

/**
 * Pushes every checkpoint of a series into a new run, one after the other, and downloads the packages. Throws an Error
 * if one does not become ready.
 */
export async function runAtHub(
  { hub, repository, series, core, directory }: BenchPlace,
  { run, thresholds, search }: HubRunPlan,
  onProgress: (line: string) => void,
): Promise<HubRun> {
  await hub.post(`/v1/repositories/${repository}/runs`, {
    name: run,
    fidelity: 'lossy',
    evalSet: benchEvalSet,
    thresholds,
    allowLarge: true,
    search,
  });
  const statuses: CheckpointStatus[] = [];
  const packages: string[] = [];
  for (const checkpoint of series.checkpoints) {
    const { status, path } = await pushCheckpoint(hub, repository, run, checkpoint, () => undefined);
    if (status.state !== 'ready' || status.result === undefined)
      throw new Error(`${run}@${checkpoint.step} is ${status.state}: ${status.error?.message ?? ''}`);
    const { rawBytes, storedBytes, trialCount } = status.result;
    onProgress(
      `${run}@${checkpoint.step}: ${storedBytes} bytes, ratio ${(rawBytes / storedBytes).toFixed(1)}, ` +
        `${trialCount} evaluations`,
    );
    statuses.push(status);
    packages.push(join(directory, `${run}-${checkpoint.step}.firn`));
    await hub.download(`${path}/package`, packages.at(-1)!);
  }
  const packed = await StoredSeries.open(core, packages);
  return {
    statuses,
    stored: await packed.decode(),
    encodeSeconds: statuses.reduce((sum, { result }) => sum + (result!.seconds['encode'] ?? 0), 0),
    decodeSeconds: await packed.decodeSeconds(),
  };
}

/** The chosen config of a checkpoint in a few words. */
export function knobOf(config: QuantizationConfig | undefined): string {
  return config === undefined ? 'exact' : describeConfig(config);
}
