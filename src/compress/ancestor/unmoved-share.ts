import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { readSafetensorsLayout } from '../../store/reads/read-safetensors-layout.ts';
import type { SourceFile } from '../upload/model-source.ts';
import { isEqual, sampleOf, sharedBytesMin, uploadedBytes, type TensorBytes } from '../upload/tensor-bytes.ts';

/** A file of another checkpoint. */
export interface OtherFile {
  /** The tensor's bytes there; undefined if there is none of its name, dtype and size. */
  tensorOf(entry: TensorEntry): TensorBytes | undefined;
  close(): Promise<void>;
}

/**
 * Share of a model's bytes in tensors that have the same bytes in another checkpoint. `open` returns the other
 * checkpoint's file of the same path, or undefined if it has none. Tensors that repeat one element, or are smaller than
 * `sharedBytesMin`, count as moved: they take next to nothing. Reads two samples of every tensor, and the rest of those
 * that may be equal. Rejects with the errors of the readers.
 */
export async function unmovedShare(
  files: readonly SourceFile[],
  open: (file: SourceFile) => Promise<OtherFile | undefined>,
  signal?: AbortSignal,
): Promise<number> {
  let [bytes, unmoved] = [0, 0];
  for (const file of files) {
    if (file.role !== 'model' || file.type !== 'safetensors') continue;
    const other = await open(file);
    try {
      for (const entry of file.layout.tensors) {
        const uploaded = uploadedBytes(file, entry, signal);
        bytes += uploaded.sizeBytes;
        const before = uploaded.sizeBytes < sharedBytesMin ? undefined : other?.tensorOf(entry);
        if (before !== undefined && (await isSame(uploaded, before))) unmoved += uploaded.sizeBytes;
      }
    } finally {
      await other?.close();
    }
  }
  return bytes === 0 ? 0 : unmoved / bytes;
}

async function isSame(uploaded: TensorBytes, before: TensorBytes): Promise<boolean> {
  const sample = await sampleOf(uploaded);
  return sample !== undefined && sample === (await sampleOf(before)) && isEqual(uploaded, before);
}

/**
 * Opens the files of a checkpoint as they were uploaded, as far as these bytes are kept. Rejects with the errors of
 * catalog and store.
 */
export async function uploadOf(
  { catalog, store, signal }: { readonly catalog: Catalog; readonly store: ObjectStore; readonly signal: AbortSignal },
  checkpointId: string,
): Promise<(file: SourceFile) => Promise<OtherFile | undefined>> {
  const kept = new Map((await catalog.files.list(checkpointId)).map(({ path, rawKey }) => [path, rawKey]));
  return async ({ path }) => {
    const rawKey = kept.get(path);
    if (rawKey === undefined) return undefined;
    const reader = await store.open(rawKey);
    const close = (): Promise<void> => reader.close();
    try {
      const { tensors } = await readSafetensorsLayout(reader);
      const byName = new Map(tensors.map((entry) => [entry.name, entry]));
      return {
        tensorOf: ({ name, dtype, elementCount }) => {
          const there = byName.get(name);
          const isAlike = there?.dtype === dtype && there.elementCount === elementCount;
          return isAlike ? uploadedBytes({ reader }, there, signal) : undefined;
        },
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  };
}
