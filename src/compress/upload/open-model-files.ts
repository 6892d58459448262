import { basename } from 'node:path';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { openPlainFile } from '../../restore/plain-file-reader.ts';
import { readSafetensorsLayout } from '../../store/reads/read-safetensors-layout.ts';
import type { SourceFile } from './model-source.ts';

/** A model file on local disk, readable like a file of a checkpoint. */
export type LocalModelFile = Pick<SourceFile, 'role' | 'layout' | 'reader'>;

/**
 * Opens safetensors files that together form a model. Close them. Rejects with `not-found`, and with the errors of a
 * header, which name the file.
 */
export async function openModelFiles(
  paths: readonly string[],
): Promise<{ readonly files: readonly LocalModelFile[]; close(): Promise<void> }> {
  const files: LocalModelFile[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(files.map(({ reader }) => reader.close()));
  };
  try {
    for (const path of paths) {
      const reader = await openPlainFile(path);
      const layout = await readSafetensorsLayout(reader).catch(async (error: unknown) => {
        await reader.close();
        throw error instanceof FirnError
          ? new FirnError(error.code, `${basename(path)}: ${error.message}`, { cause: error })
          : error;
      });
      files.push({ role: 'model', layout, reader });
    }
    return { files, close };
  } catch (error) {
    await close();
    throw error;
  }
}
