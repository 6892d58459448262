import { join } from 'node:path';
import type { StateOptions } from '../../src/checkpoint/options/state-options.ts';
import type { QualityThresholds } from '../../src/checkpoint/quality/quality.ts';
import type { HubClient } from '../../src/cli/demo/hub-client.ts';
import { pushCheckpoint } from '../../src/cli/demo/push-series.ts';
import type { SeriesCheckpoint } from '../../src/cli/demo/read-series.ts';
import { benchEvalSet } from '../prepare-bench-hub.ts';
import type { LiftedGuard, RestartArm } from './restart-arm.ts';
import type { TrainingStart } from './run-training.ts';

/** Bytes of the checkpoints pushed so far. */
export interface RunBytes {
  readonly raw: number;
  readonly stored: number;
}

export interface StoredRunPlace {
  readonly hub: HubClient;
  readonly repository: string;
  /** Folder for downloads. */
  readonly directory: string;
}

/** Bounded state at the hub; master weights come back as the rebuilt weights. */
const boundedState: StateOptions = {
  firstMoment: 'bounded',
  secondMoment: 'bounded',
  momentum: 'bounded',
  master: 'weights',
};

/** One run at the hub: pushes checkpoints, and downloads weights and the optimizer state if it is stored. */
export class StoredRun {
  private readonly place: StoredRunPlace;
  private readonly name: string;
  private readonly state: RestartArm['state'];
  /** By step, the bytes up to and including that checkpoint; includes those of the run that it forked from. */
  private readonly bytesAt: Map<number, RunBytes>;
  private newest: RunBytes;

  private constructor(
    place: StoredRunPlace,
    { run, state }: Pick<RestartArm, 'run' | 'state'>,
    newest: RunBytes = { raw: 0, stored: 0 },
  ) {
    this.place = place;
    this.name = run;
    this.state = state;
    this.newest = newest;
    this.bytesAt = new Map();
  }

  static async create(
    place: StoredRunPlace,
    { run, state, method, threshold, progress, without }: RestartArm,
    metrics: readonly string[],
  ): Promise<StoredRun> {
    const thresholds: QualityThresholds = Object.fromEntries(
      metrics.map((metric) => [metric, thresholdOf({ threshold: threshold ?? 0, progress, without })]),
    );
    const kind =
      method === 'exact'
        ? { fidelity: 'exact' }
        : {
            fidelity: 'lossy',
            evalSet: benchEvalSet,
            thresholds,
            allowLarge: true,
            search: searchOf({ method, without }),
          };
    await place.hub.post(`/v1/repositories/${place.repository}/runs`, {
      name: run,
      ...kind,
      ...(state === 'bounded' && { state: boundedState }),
    });
    return new StoredRun(place, { run, state });
  }

  /** Whether pushed checkpoints need their optimizer state. */
  get storesState(): boolean {
    return this.state === 'bounded';
  }

  /** The run into which a training job pushes after resuming from a step; it shares all checkpoints up to that step. */
  async fork(name: string, step: number): Promise<StoredRun> {
    await this.place.hub.post(`/v1/repositories/${this.place.repository}/runs`, {
      name,
      forkFrom: { run: this.name, step },
    });
    return new StoredRun(this.place, { run: name, state: this.state }, this.bytesAt.get(step));
  }

  /** Bytes of the run so far. */
  get bytes(): RunBytes {
    return this.newest;
  }

  /** Rejects with an Error if the checkpoint does not become ready. */
  async push({ optimizerPath, ...weights }: SeriesCheckpoint): Promise<void> {
    const { hub, repository } = this.place;
    const checkpoint = { ...weights, ...(this.storesState && optimizerPath !== undefined && { optimizerPath }) };
    const { status } = await pushCheckpoint(hub, repository, this.name, checkpoint, () => undefined);
    if (status.state !== 'ready' || status.result === undefined)
      throw new Error(`${this.name}@${checkpoint.step} is ${status.state}: ${status.error?.message ?? ''}`);
    this.newest = {
      raw: this.newest.raw + status.result.rawBytes,
      stored: this.newest.stored + status.result.storedBytes,
    };
    this.bytesAt.set(checkpoint.step, this.newest);
  }

  /** Downloads what training restarts from. */
  async download(step: number, state: RestartArm['state']): Promise<TrainingStart> {
    const load = await this.file(step, 'model.safetensors');
    if (state === 'fresh') return { load, freshState: true };
    return state === 'bounded' ? { load, loadState: await this.file(step, 'optimizer.safetensors') } : { load };
  }

  /** Checks the digest; resolves to the path. */
  private async file(step: number, name: string): Promise<string> {
    const { hub, repository, directory } = this.place;
    const to = join(directory, `${repository.replaceAll('/', '-')}-${this.name}-${step}-${name}`);
    const { sha256, announced } = await hub.download(
      `/v1/repositories/${repository}/runs/${this.name}/checkpoints/${step}/files/${name}`,
      to,
    );
    if (sha256 !== announced)
      throw new Error(`${this.name}@${step} ${name}: downloaded sha256 ${sha256}, announced ${announced}`);
    return to;
  }
}

/** A bound on progress in every checkpoint, the hub's own choice of it, or one that never binds. */
function thresholdOf({
  threshold,
  progress,
  without,
}: {
  readonly threshold: number;
  readonly progress: number | undefined;
  readonly without: LiftedGuard | undefined;
}): QualityThresholds[string] {
  if (progress !== undefined) return { relative: threshold, progress };
  return without === 'progress' || without === 'all' ? { relative: threshold, progress: 1 } : threshold;
}

const noGuards = { weightErrorMax: null, standardErrors: 0, divergenceMax: null } as const;
const searchWithout: Readonly<Record<LiftedGuard, object>> = {
  rounding: { rounding: 'archive' },
  weights: { weightErrorMax: null },
  divergence: { divergenceMax: null },
  errors: { standardErrors: 0 },
  progress: {},
  all: { ...noGuards, rounding: 'archive' },
};

/** The paper's method decides by the metrics alone, ours by what the hub has for its default but for one guard. */
function searchOf({
  method,
  without,
}: Pick<RestartArm, 'method'> & { readonly without: LiftedGuard | undefined }): object {
  if (method === 'inshrinkerator') return { method, ...noGuards };
  return { method, ...(without !== undefined && searchWithout[without]) };
}
