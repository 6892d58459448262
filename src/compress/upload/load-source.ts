import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { isNotSafetensors } from '../../checkpoint/safetensors/is-not-safetensors.ts';
import { isQuantizable } from '../../checkpoint/dtype.ts';
import type { SafetensorsLayout, TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { planBlob } from '../../package/blocks/plan-file.ts';
import { LastReads } from '../../store/reads/last-reads.ts';
import type { ObjectReader, ObjectStore } from '../../store/object-store.ts';
import { readSafetensorsLayout } from '../../store/reads/read-safetensors-layout.ts';
import { withSmallReads } from '../../store/reads/small-reads.ts';
import type { SourceFile } from './model-source.ts';

/**
 * Chunks of all files cached for small reads: 4 MiB. Tensors that share a block, or are compared with each other, may
 * be in as many files.
 */
const chunksKept = 16;

/** The opened files of a checkpoint: those to store, and the gradients that only steer the search. Close them. */
export interface LoadedFiles {
  readonly files: readonly SourceFile[];
  readonly gradients: ReadonlyMap<string, { readonly entry: TensorEntry; readonly reader: ObjectReader }>;
  /**
   * Closes every reader, including those of sensitivity files without a usable tensor. Staged objects are no longer
   * needed then, and their memory is free for the next step.
   */
  close(): Promise<void>;
}

/**
 * Opens the staged objects of a checkpoint, files in path order. Rejects with the store's errors, after closing what it
 * opened.
 */
export async function loadSource(store: ObjectStore, rows: readonly CheckpointFile[]): Promise<LoadedFiles> {
  const files: SourceFile[] = [];
  const gradients = new Map<string, { entry: TensorEntry; reader: ObjectReader }>();
  const opened: ObjectReader[] = [];
  const chunks = new LastReads(chunksKept);
  const close = async (): Promise<void> => {
    await Promise.all(
      opened.map(async (reader) => {
        await reader.forget?.();
        await reader.close();
      }),
    );
  };
  try {
    for (const row of [...rows].sort((a, b) => (a.path < b.path ? -1 : 1))) {
      if (row.rawKey === undefined || row.sha256 === undefined)
        throw new FirnError('internal', 'An uploaded file is gone.', { detail: `${row.checkpointId} ${row.path}` });
      const reader = withSmallReads(await store.open(row.rawKey), row.rawKey, chunks);
      opened.push(reader);
      const layout = row.path.endsWith('.safetensors')
        ? await readLayout(reader, row.role === 'model' || row.role === 'sensitivity')
        : undefined;
      if (row.role === 'sensitivity') {
        for (const entry of layout?.tensors ?? [])
          if (isQuantizable(entry.dtype)) gradients.set(entry.name, { entry, reader });
        continue;
      }
      files.push({
        path: row.path,
        role: row.role,
        type: layout === undefined ? 'blob' : 'safetensors',
        sizeBytes: reader.sizeBytes,
        sha256: row.sha256,
        layout: layout ?? planBlob(reader.sizeBytes).layout,
        reader,
      });
    }
    return { files, gradients, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A file that only has the ending .safetensors is treated as any other file, unless its role requires the format. */
async function readLayout(reader: ObjectReader, required: boolean): Promise<SafetensorsLayout | undefined> {
  try {
    return await readSafetensorsLayout(reader);
  } catch (error) {
    if (required || !isNotSafetensors(error)) throw error;
    return undefined;
  }
}
