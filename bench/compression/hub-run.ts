import { join } from 'node:path';
import type { QuantizationConfig } from '../../src/checkpoint/quantization-config.ts';
import type { SearchOptions } from '../../src/checkpoint/search-options.ts';
import type { QualityThresholds } from '../../src/checkpoint/quality.ts';
import { describeConfig } from '../../src/cli/demo/describe-config.ts';
import type { HubClient } from '../../src/cli/demo/hub-client.ts';
import { pushCheckpoint, type CheckpointStatus } from '../../src/cli/demo/push-series.ts';
import type { Series } from '../../src/cli/demo/read-series.ts';
import { seriesEvalSpec } from '../../src/cli/demo/series-eval-spec.ts';
import type { NativeCore } from '../../src/native/core.ts';
import { StoredSeries, type StoredCheckpoint } from './stored-series.ts';

export interface HubRunPlan {
  /** Letters, digits and dashes: the run is called so at the hub. */
  readonly run: string;
  readonly thresholds: QualityThresholds;
  readonly search: Partial<SearchOptions>;
}

/** A run at a hub after its last checkpoint, and what its packages hold. */
export interface HubRun {
  readonly statuses: readonly CheckpointStatus[];
  /** By checkpoint. */
  readonly stored: readonly StoredCheckpoint[];
  /** Of the hub's encode phases. */
  readonly encodeSeconds: number;
  readonly decodeSeconds: number;
}

const repository = 'bench/compression';
const repositoryPath = `/v1/repositories/${repository}`;

/** Creates the repository and the eval set that all runs of a bench use. */
export async function prepareBenchHub(hub: HubClient, series: Series): Promise<void> {
  await hub.post('/v1/repositories', { namespace: 'bench', name: 'compression' });
  await hub.post(`${repositoryPath}/eval-sets`, { name: 'held-out', spec: seriesEvalSpec(series) });
  await hub.putFile(`${repositoryPath}/eval-sets/held-out/graph`, series.graphPath);
  await hub.putFile(`${repositoryPath}/eval-sets/held-out/batches`, series.batchesPath);
  await hub.post(`${repositoryPath}/eval-sets/held-out/commit`);
}

/** Pushes every checkpoint of a series into a new run, one after the other, and downloads the packages. Throws an Error when one does not become ready. */
export async function runAtHub(
  { hub, series, core, directory }: { hub: HubClient; series: Series; core: NativeCore; directory: string },
  { run, thresholds, search }: HubRunPlan,
  onProgress: (line: string) => void,
): Promise<HubRun> {
  await hub.post(`${repositoryPath}/runs`, { name: run, fidelity: 'lossy', evalSet: 'held-out', thresholds, search });
  const statuses: CheckpointStatus[] = [];
  const packages: string[] = [];
  for (const checkpoint of series.checkpoints) {
    const { status, path } = await pushCheckpoint(hub, repository, run, checkpoint, () => undefined);
    if (status.state !== 'ready' || status.result === undefined)
      throw new Error(`${run}@${checkpoint.step} is ${status.state}: ${status.error?.message ?? ''}`);
    const { rawBytes, storedBytes, trialCount } = status.result;
    onProgress(`${run}@${checkpoint.step}: ${storedBytes} bytes, ratio ${(rawBytes / storedBytes).toFixed(1)}, ${trialCount} evaluations`);
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
