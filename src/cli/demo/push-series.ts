import { basename } from 'node:path';
import type { CheckpointResult } from '../../catalog/contract/checkpoint-records.ts';
import type { QualityThresholds } from '../../checkpoint/quality/quality.ts';
import type { QuantizationConfig, QuantizationMethod } from '../../checkpoint/options/quantization-config.ts';
import type { ClusteringChoice } from '../../checkpoint/options/methods/inshrinkerator-search-options.ts';
import { describeConfig } from './describe-config.ts';
import type { HubClient } from './hub-client.ts';
import type { Series, SeriesCheckpoint } from './read-series.ts';
import { seriesEvalSpec } from './series-eval-spec.ts';

/** The hub's answer about a checkpoint that has ended. */
export interface CheckpointStatus {
  readonly state: string;
  readonly step: number;
  readonly result?: CheckpointResult;
  readonly error?: { readonly code: string; readonly message: string };
  readonly files: readonly { readonly path: string; readonly rebuilt?: { readonly sha256: string } }[];
}

/** A pushed checkpoint: its address and its outcome. */
export interface PushedCheckpoint {
  readonly run: string;
  readonly checkpoint: SeriesCheckpoint;
  readonly path: string;
  readonly status: CheckpointStatus;
  readonly seconds: number;
}

/** A run, its fork point if it is a fork, and the checkpoints to push to it. */
export interface PushPlan {
  readonly run: string;
  readonly fromStep?: number;
  readonly checkpoints: readonly SeriesCheckpoint[];
}

/**
 * The training job of the demo: it pushes most of the series, crashes, resumes from an earlier step as a forked run,
 * and pushes on to the end. With fewer than three checkpoints there is no fork.
 */
export function planPushes(series: Series): { first: PushPlan; fork?: PushPlan & { readonly fromStep: number } } {
  const all = series.checkpoints;
  if (all.length < 3) return { first: { run: 'train', checkpoints: all } };
  const crashAfter = Math.floor((2 * all.length) / 3);
  const resumeAt = Math.max(1, crashAfter - 1);
  return {
    first: { run: 'train', checkpoints: all.slice(0, crashAfter) },
    fork: { run: 'train-resumed', fromStep: all[resumeAt - 1]!.step, checkpoints: all.slice(resumeAt) },
  };
}

/** Creates repository, eval set and the first run. */
export async function prepareHub(
  hub: HubClient,
  series: Series,
  options: {
    repository: string;
    run: string;
    thresholds: QualityThresholds;
    method: QuantizationMethod;
    clustering?: ClusteringChoice | undefined;
    search?: Readonly<Record<string, unknown>> | undefined;
  },
): Promise<void> {
  const [namespace, name] = options.repository.split('/');
  await hub.post('/v1/repositories', { namespace, name });
  const repository = `/v1/repositories/${options.repository}`;
  await hub.post(`${repository}/eval-sets`, { name: 'held-out', spec: seriesEvalSpec(series) });
  await hub.putFile(`${repository}/eval-sets/held-out/graph`, series.graphPath);
  await hub.putFile(`${repository}/eval-sets/held-out/batches`, series.batchesPath);
  await hub.post(`${repository}/eval-sets/held-out/commit`);
  await hub.post(`${repository}/runs`, {
    name: options.run,
    fidelity: 'lossy',
    evalSet: 'held-out',
    thresholds: options.thresholds,
    search: {
      method: options.method,
      ...(options.clustering !== undefined && { clustering: options.clustering }),
      ...options.search,
    },
  });
}

/** Reserves, uploads and commits one checkpoint, then follows its events until it ends. */
export async function pushCheckpoint(
  hub: HubClient,
  repository: string,
  run: string,
  checkpoint: SeriesCheckpoint,
  onProgress: (line: string) => void,
): Promise<PushedCheckpoint> {
  const started = performance.now();
  const runPath = `/v1/repositories/${repository}/runs/${run}`;
  const path = `${runPath}/checkpoints/${checkpoint.step}`;
  const uploads = [
    ...checkpoint.modelFiles.map((file) => ({ ...file, role: 'model' })),
    ...(checkpoint.sensitivityPath === undefined
      ? []
      : [{ path: 'sensitivity.safetensors', role: 'sensitivity', from: checkpoint.sensitivityPath }]),
    ...(checkpoint.optimizerPath === undefined
      ? []
      : [{ path: 'optimizer.safetensors', role: 'optimizer', from: checkpoint.optimizerPath }]),
  ];
  await hub.post(`${runPath}/checkpoints`, {
    step: checkpoint.step,
    files: uploads.map((upload) => ({ path: upload.path, role: upload.role })),
  });
  for (const upload of uploads) {
    onProgress(`uploading ${basename(upload.from)}`);
    await hub.putFile(`${path}/files/${upload.path}`, upload.from);
  }
  await hub.post(`${path}/commit`);
  for await (const { event, data } of hub.events(`${path}/events`)) onProgress(describeEvent(event, data));
  const status = await hub.get<CheckpointStatus>(path);
  return { run, checkpoint, path, status, seconds: (performance.now() - started) / 1000 };
}

interface TrialEvent {
  /** From 1. */
  readonly number: number;
  /** From 1. */
  readonly search: number;
  readonly config: QuantizationConfig;
  readonly degradation: Readonly<Record<string, number | null>>;
  readonly passed: boolean;
}

function describeEvent(event: string, data: unknown): string {
  if (event === 'state') return (data as { state: string }).state;
  if (event === 'phase') return (data as { phase: string }).phase;
  if (event !== 'trial') return event;
  const { number, search, config, degradation, passed } = data as TrialEvent;
  const found = Object.entries(degradation).map(
    ([name, value]) => `${name} ${value === null ? 'not finite' : `${(100 * value).toFixed(2)} %`}`,
  );
  const ofSearch = search === 1 ? '' : ` (search ${search})`;
  return `trial ${number}${ofSearch}: ${describeConfig(config)}: ${found.join(', ')}, ${passed ? 'passes' : 'fails'}`;
}
