import { openSync, readSync, closeSync, fstatSync } from 'node:fs';
import { join } from 'node:path';
import type { HubClient } from '../../src/cli/demo/hub-client.ts';
import { pushCheckpoint, type CheckpointStatus } from '../../src/cli/demo/push-series.ts';
import type { Series, SeriesCheckpoint } from '../../src/cli/demo/read-series.ts';
import type { NativeCore } from '../../src/native/core.ts';
import { decodeStoredIndexes, readStoredIndex } from '../../src/package/open-package.ts';
import type { PackageIndex } from '../../src/package/package-index.ts';
import { prepareBenchHub } from '../prepare-bench-hub.ts';
import { addParts, noBytes, partBytes, type PartBytes } from './part-bytes.ts';
import { runRequest, type StateArm } from './state-arm.ts';

export interface StateRunPlace {
  readonly hub: HubClient;
  readonly core: NativeCore;
  /**
   * Prefix of the names of its runs' repositories. Each run has its own: in a shared one, a later run's exact files
   * would be references to an earlier one's.
   */
  readonly name: string;
  readonly series: Series;
  /** Folder for downloads. */
  readonly directory: string;
}

/** The downloaded files of one checkpoint. */
export interface DownloadedState {
  readonly weights: string;
  readonly state: string;
}

/** One run at the hub: pushes full training state, counts its stored bytes, and downloads the files. */
export class StateRun {
  readonly arm: StateArm;
  /** Stored bytes of the checkpoints pushed so far. */
  parts: PartBytes = noBytes;
  storedBytes = 0;
  rawBytes = 0;
  private readonly place: StateRunPlace;
  private readonly repository: string;
  /** By package id, because deltas are decoded with their ancestors' indexes. */
  private readonly indexes = new Map<string, PackageIndex>();

  private constructor(place: StateRunPlace, arm: StateArm, repository: string) {
    this.place = place;
    this.arm = arm;
    this.repository = repository;
  }

  static async create(place: StateRunPlace, arm: StateArm, metrics: readonly string[]): Promise<StateRun> {
    const repository = await prepareBenchHub(place.hub, `${place.name}-${arm.run}`, place.series);
    await place.hub.post(`/v1/repositories/${repository}/runs`, runRequest(arm, metrics));
    return new StateRun(place, arm, repository);
  }

  /** Rejects with an Error if the checkpoint does not become ready. */
  async push(checkpoint: SeriesCheckpoint): Promise<CheckpointStatus> {
    const { hub, directory } = this.place;
    const { status, path } = await pushCheckpoint(hub, this.repository, this.arm.run, checkpoint, () => undefined);
    if (status.state !== 'ready' || status.result === undefined)
      throw new Error(`${this.arm.run}@${checkpoint.step} is ${status.state}: ${status.error?.message ?? ''}`);
    const { rawBytes, storedBytes } = status.result;
    this.rawBytes += rawBytes;
    this.storedBytes += storedBytes;
    const stored = join(directory, `${this.fileStem(checkpoint.step)}.firn`);
    await hub.download(`${path}/package`, stored);
    this.parts = addParts(this.parts, partBytes(await this.readIndex(stored), storedBytes));
    return status;
  }

  /** Weights and optimizer state of a checkpoint, after checking digests. */
  async download(step: number): Promise<DownloadedState> {
    return {
      weights: await this.file(step, 'model.safetensors'),
      state: await this.file(step, 'optimizer.safetensors'),
    };
  }

  private async file(step: number, path: string): Promise<string> {
    const { hub, directory } = this.place;
    const to = join(directory, `${this.fileStem(step)}-${path}`);
    const { sha256, announced } = await hub.download(
      `/v1/repositories/${this.repository}/runs/${this.arm.run}/checkpoints/${step}/files/${path}`,
      to,
    );
    if (sha256 !== announced)
      throw new Error(`${this.arm.run}@${step} ${path}: downloaded sha256 ${sha256}, announced ${announced}`);
    return to;
  }

  private fileStem(step: number): string {
    return `${this.repository.replaceAll('/', '-')}-${step}`;
  }

  private async readIndex(path: string): Promise<PackageIndex> {
    const descriptor = openSync(path, 'r');
    try {
      const read = (offset: number, length: number): Promise<Uint8Array> => {
        const bytes = new Uint8Array(length);
        readSync(descriptor, bytes, 0, length, offset);
        return Promise.resolve(bytes);
      };
      const stored = await readStoredIndex({ sizeBytes: fstatSync(descriptor).size, read }, this.place.core.crc32cSync);
      const ancestor = stored.ancestorId === undefined ? undefined : this.indexes.get(stored.ancestorId);
      const index = decodeStoredIndexes(stored, ancestor).at(-1)!;
      this.indexes.set(index.id, index);
      return index;
    } finally {
      closeSync(descriptor);
    }
  }
}
