import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../catalog/contract/file-records.ts';
import type { Dtype, QuantizableDtype } from '../checkpoint/dtype.ts';
import { absentWhen } from '../checkpoint/absent-when.ts';
import { FirnError, type FirnErrorCode } from '../checkpoint/firn-error.ts';
import type { TensorEntry } from '../checkpoint/safetensors/safetensors-layout.ts';
import type { NativeCore } from '../native/core.ts';
import { layerBytes, type LayerBytes } from '../package/layer-bytes.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { DecodedFiles } from './decoded/decoded-files.ts';
import type { OpenedFile } from './opened-file.ts';
import { openNamed } from './open-named.ts';
import { RawSafetensorsFile } from './range/raw-file.ts';
import type { Restorer } from './restorer.ts';

export type { OpenedFile } from './opened-file.ts';

export interface OpenedTensor extends OpenedFile {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** Path of the checkpoint's file that holds the tensor. */
  readonly path: string;
}

export interface DownloadServices {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly core: NativeCore;
  readonly restorer: Restorer;
  /** Absent: every download is rebuilt. */
  readonly decoded?: DecodedFiles | undefined;
}

/** Errors that a reader sees while another request deletes the checkpoint's rows and objects. */
const goneCodes: ReadonlySet<FirnErrorCode> = new Set(['internal', 'not-found', 'corrupt-object']);

/** An opened file with tensors, and how to close it. */
interface TensorFile {
  readonly stream: OpenedFile['stream'];
  tensor(name: string): TensorEntry;
}

/** Files of ready checkpoints, rebuilt from packages or read from the raw objects that serve as storage. */
export class Downloads {
  readonly #services: DownloadServices;

  constructor(services: DownloadServices) {
    this.#services = services;
  }

  /**
   * The file as a download returns it, or with its floating point tensors as `dtype`. Rejects with
   * `checkpoint-not-ready`, `invalid-request`, `not-found` when the checkpoint was deleted since it was looked up, and
   * the errors of restore and store.
   */
  openFile(
    checkpoint: Checkpoint,
    file: CheckpointFile,
    view?: { readonly dtype: QuantizableDtype },
  ): Promise<OpenedFile> {
    return this.#whileThere(checkpoint, () => this.#open(checkpoint, file, view));
  }

  /**
   * An object of the checkpoint, byte for byte. Rejects with `not-found` when the checkpoint was deleted since it was
   * looked up, and the errors of the store.
   */
  openObject(checkpoint: Checkpoint, key: string): Promise<OpenedFile> {
    return this.#whileThere(checkpoint, () => openNamed(this.#services.store, key));
  }

  /** An object that no checkpoint owns, byte for byte. Rejects with `corrupt-object` and the errors of the store. */
  openRaw(key: string): Promise<OpenedFile> {
    return openNamed(this.#services.store, key);
  }

  /**
   * What each layer of a checkpoint takes in its package, from the indexes of its chain alone. Undefined for one that
   * is kept as uploaded, and if these indexes take more than `indexBytesMax` bytes, of which then none is read. Rejects
   * with `not-found` when the checkpoint was deleted since it was looked up, with `cancelled`, and the errors of
   * restore and store.
   */
  layers(
    checkpoint: Checkpoint,
    { indexBytesMax, signal }: { readonly indexBytesMax: number; readonly signal?: AbortSignal },
  ): Promise<LayerBytes[] | undefined> {
    const { packageId } = checkpoint;
    if (packageId === undefined) return Promise.resolve(undefined);
    return this.#whileThere(checkpoint, async () => {
      const packages = await this.#services.catalog.packages.chain(packageId);
      // The checkpoints of a merged package share one index.
      const indexes = new Map(packages.map(({ key, indexLengthBytes }) => [key, indexLengthBytes]));
      if ([...indexes.values()].reduce((sum, bytes) => sum + bytes, 0) > indexBytesMax) return undefined;
      const chain = await this.#services.restorer.open(packages, signal);
      try {
        return layerBytes(chain.links[0]!.package.index);
      } finally {
        await chain.close();
      }
    });
  }

  /** Answers `not-found` if the work fails because another request deleted the checkpoint between two queries. */
  async #whileThere<T>(checkpoint: Checkpoint, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const mayBeGone = error instanceof FirnError && goneCodes.has(error.code);
      const now = mayBeGone ? await this.#services.catalog.checkpoints.get(checkpoint.id) : checkpoint;
      if (now === undefined || now.deletedAt !== undefined)
        throw new FirnError('not-found', 'The checkpoint was deleted meanwhile.', { cause: error });
      throw error;
    }
  }

  async #open(
    checkpoint: Checkpoint,
    file: CheckpointFile,
    view?: { readonly dtype: QuantizableDtype },
  ): Promise<OpenedFile> {
    if (file.storage === 'reference') return this.#open(...(await this.#origin(file)), view);
    if (file.storage === 'raw') return this.#openRaw(file, view?.dtype);
    const { decoded } = this.#services;
    const { id, resultSha256: sha256, resultBytes: sizeBytes } = file;
    if (decoded === undefined || view !== undefined || sha256 === undefined || sizeBytes === undefined)
      return this.#rebuild(checkpoint, file, view);
    return decoded.openFile({ id, sha256, sizeBytes }, () => this.#rebuild(checkpoint, file));
  }

  async #rebuild(
    checkpoint: Checkpoint,
    file: CheckpointFile,
    view?: { readonly dtype: QuantizableDtype },
  ): Promise<OpenedFile> {
    const chain = await this.#openChain(checkpoint);
    return closingOnFailure(chain, async () => {
      const whole = chain.file(file.path);
      const restored = view === undefined ? whole : whole.view(view.dtype);
      const { length: chainLength } = chain.links;
      return {
        sizeBytes: restored.sizeBytes,
        chainLength,
        stream: (start, end, signal) => restored.stream(start, end, signal),
        passing: (signal) => restored.passing(signal),
        close: () => chain.close(),
      };
    });
  }

  /**
   * One tensor's data; if `dtype` is given, floating point elements are converted to it. Rejects with `not-found` when
   * no file has the tensor, and as `openFile`.
   */
  openTensor(checkpoint: Checkpoint, name: string, view?: { readonly dtype: QuantizableDtype }): Promise<OpenedTensor> {
    return this.#whileThere(checkpoint, () => this.#findTensor(checkpoint, name, view));
  }

  async #findTensor(
    checkpoint: Checkpoint,
    name: string,
    view?: { readonly dtype: QuantizableDtype },
  ): Promise<OpenedTensor> {
    const files = (await this.#services.catalog.files.list(checkpoint.id)).filter(
      (file) => file.storage !== undefined && file.path.endsWith('.safetensors'),
    );
    // Model tensors first: an optimizer file may use the same names.
    for (const file of [
      ...files.filter((each) => each.role === 'model'),
      ...files.filter((each) => each.role !== 'model'),
    ]) {
      const found = await this.#tensorIn(checkpoint, file, name, view?.dtype);
      if (found !== undefined) return { ...found, path: file.path };
    }
    throw new FirnError('not-found', 'The checkpoint has no tensor of this name.');
  }

  async #tensorIn(
    checkpoint: Checkpoint,
    file: CheckpointFile,
    name: string,
    dtype: QuantizableDtype | undefined,
  ): Promise<OpenedTensor | undefined> {
    if (file.storage === 'reference') {
      const [owner, origin] = await this.#origin(file);
      return this.#tensorIn(owner, origin, name, dtype);
    }
    return file.storage === 'raw'
      ? this.#rawTensor(file, name, dtype)
      : this.#packagedTensor(checkpoint, file, name, dtype);
  }

  /** The file that holds the bytes of a reference, with its checkpoint, live or hidden. */
  async #origin({ id, originId }: CheckpointFile): Promise<[Checkpoint, CheckpointFile]> {
    const { catalog } = this.#services;
    const origin = originId === undefined ? undefined : await catalog.files.get(originId);
    const checkpoint = origin && (await catalog.checkpoints.get(origin.checkpointId));
    if (checkpoint === undefined || origin?.storage === 'reference')
      throw new FirnError('internal', 'The stored file is gone.', { detail: `origin of ${id}` });
    return [checkpoint, origin!];
  }

  async #openRaw(file: CheckpointFile, dtype: QuantizableDtype | undefined): Promise<OpenedFile> {
    const reader = await openNamed(this.#services.store, rawKeyOf(file));
    return closingOnFailure(reader, async () => {
      const bytes = dtype === undefined ? reader : await RawSafetensorsFile.open(reader, this.#services.core, dtype);
      return {
        sizeBytes: bytes.sizeBytes,
        stream: (start, end, signal) => bytes.stream(start, end, signal),
        close: () => reader.close(),
      };
    });
  }

  async #rawTensor(
    file: CheckpointFile,
    name: string,
    dtype: QuantizableDtype | undefined,
  ): Promise<OpenedTensor | undefined> {
    const reader = await openNamed(this.#services.store, rawKeyOf(file));
    return closingOnFailure(reader, async () => {
      const opened = await RawSafetensorsFile.open(reader, this.#services.core, dtype).catch(
        absentWhen('invalid-request'),
      );
      // A file whose name ends in .safetensors without being one has no tensors; the other files are still searched.
      if (opened === undefined) await reader.close();
      return opened && this.#tensorOf(file.path, opened, name, () => reader.close());
    });
  }

  async #packagedTensor(
    checkpoint: Checkpoint,
    file: CheckpointFile,
    name: string,
    dtype: QuantizableDtype | undefined,
  ): Promise<OpenedTensor | undefined> {
    const chain = await this.#openChain(checkpoint);
    return closingOnFailure(chain, async () => {
      const whole = chain.file(file.path);
      const restored = dtype === undefined || !whole.isSafetensors ? whole : whole.view(dtype);
      const tensors = {
        stream: (...range: Parameters<OpenedFile['stream']>) => restored.stream(...range),
        tensor: (wanted: string) => restored.tensor(wanted),
      };
      const tensor = await this.#tensorOf(file.path, tensors, name, () => chain.close());
      return tensor && { ...tensor, chainLength: chain.links.length };
    });
  }

  async #tensorOf(
    path: string,
    file: TensorFile,
    name: string,
    close: () => Promise<void>,
  ): Promise<OpenedTensor | undefined> {
    const entry = findTensor(file, name);
    if (entry === undefined) {
      await close();
      return undefined;
    }
    const { dtype, shape, startBytes, endBytes } = entry;
    return {
      path,
      dtype,
      shape,
      sizeBytes: endBytes - startBytes,
      stream: (start, end, signal) => file.stream(startBytes + start, startBytes + end, signal),
      close,
    };
  }

  async #openChain(checkpoint: Checkpoint) {
    if (checkpoint.packageId === undefined)
      throw new FirnError('checkpoint-not-ready', 'The checkpoint is not ready yet.');
    return this.#services.restorer.open(await this.#services.catalog.packages.chain(checkpoint.packageId));
  }
}

function findTensor(file: TensorFile, name: string): TensorEntry | undefined {
  try {
    return file.tensor(name);
  } catch (error) {
    return absentWhen('not-found')(error);
  }
}

function rawKeyOf(file: CheckpointFile): string {
  if (file.rawKey === undefined)
    throw new FirnError('internal', 'The stored file is gone.', { detail: `${file.checkpointId} ${file.path}` });
  return file.rawKey;
}

async function closingOnFailure<T>(resource: { close(): Promise<void> }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await resource.close();
    throw error;
  }
}
