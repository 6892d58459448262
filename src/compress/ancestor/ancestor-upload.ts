import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { NativeCore } from '../../native/core.ts';
import type { PlannedBlock } from '../../package/blocks/block-plan.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { loadSource, type LoadedFiles } from '../upload/load-source.ts';
import { ModelSource, type SourceFile } from '../upload/model-source.ts';

export interface UploadParts {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly core: NativeCore;
  /** See `ModelSource`. */
  readonly cacheMaxBytes: number;
}

/** An upload was released while it was read, or is damaged. Whoever meets it goes on without the upload. */
export class UploadGone extends Error {
  constructor(cause: unknown) {
    super('the upload that an ancestor was made of cannot be read', { cause });
    this.name = 'UploadGone';
  }
}

/**
 * The weights that an ancestor was made of. A run keeps the upload of its newest ready checkpoint, so they are there
 * whenever a checkpoint builds on the one before it. Close it.
 */
export class AncestorUpload {
  readonly #loaded: LoadedFiles;
  readonly #source: ModelSource;
  /** By path of a file: its number. */
  readonly #numbers: ReadonlyMap<string, number>;
  /** By number of a file, by name of a tensor: its number. */
  readonly #tensors: readonly ReadonlyMap<string, number>[];

  private constructor(loaded: LoadedFiles, { core, cacheMaxBytes }: UploadParts) {
    this.#loaded = loaded;
    this.#source = new ModelSource(loaded.files, new Map(), core, cacheMaxBytes);
    this.#numbers = new Map(loaded.files.map(({ path }, number) => [path, number]));
    this.#tensors = loaded.files.map(
      ({ layout }) => new Map(layout.tensors.map(({ name }, number) => [name, number] as const)),
    );
  }

  /** Undefined if no model file is kept. Rejects with the errors of catalog and store. */
  static async open(parts: UploadParts, checkpointId: string): Promise<AncestorUpload | undefined> {
    const isKept = ({ role, rawKey, sha256 }: CheckpointFile): boolean =>
      role === 'model' && rawKey !== undefined && sha256 !== undefined;
    const rows = (await parts.catalog.files.list(checkpointId)).filter(isKept);
    return rows.length === 0 ? undefined : new AncestorUpload(await loadSource(parts.store, rows), parts);
  }

  /**
   * The elements that the block of a newer checkpoint's file had in this upload. Undefined if one of its tensors was
   * not there under the same path and name, with the same dtype and shape. Rejects with {@link UploadGone}, and with
   * other errors of the store.
   */
  async elements(
    { path, layout }: Pick<SourceFile, 'path' | 'layout'>,
    block: PlannedBlock,
    signal?: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const file = this.#numbers.get(path);
    if (file === undefined) return undefined;
    const there = this.#loaded.files[file]!.layout;
    const segments: PlannedBlock['segments'][number][] = [];
    for (const segment of block.segments) {
      const { name, dtype, shape } = layout.tensors[segment.tensor]!;
      const tensor = this.#tensors[file]!.get(name);
      const before = tensor === undefined ? undefined : there.tensors[tensor]!;
      if (before?.dtype !== dtype || String(before.shape) !== String(shape)) return undefined;
      segments.push({ ...segment, tensor: tensor! });
    }
    try {
      return await this.#source.readBlock(file, { ...block, segments }, signal);
    } catch (error) {
      throw isGone(error) ? new UploadGone(error) : error;
    }
  }

  close(): Promise<void> {
    return this.#loaded.close();
  }
}

function isGone(error: unknown): boolean {
  return error instanceof FirnError && (error.code === 'not-found' || error.code === 'corrupt-object');
}
