import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FirnError } from '../../checkpoint/firn-error.ts';
import { diskError } from '../../store/filesystem/disk-error.ts';

/**
 * Runs `work` with a new directory with a path that begins with `prefix`, and removes it on every way out. Each attempt
 * has its own directory, because an earlier one may still be ending. Rejects with the errors of `work`. A full disk
 * (`storage-full`) or too many open files (`overloaded`) are reported as for the store.
 */
export async function withScratch<T>(prefix: string, work: (directory: string) => Promise<T>): Promise<T> {
  try {
    await mkdir(dirname(prefix), { recursive: true });
    const directory = await mkdtemp(prefix);
    try {
      return await work(directory);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  } catch (error) {
    throw reportFullDisk(error);
  }
}

/** Returns any other error unchanged. */
function reportFullDisk(error: unknown): unknown {
  const known: FirnError = diskError(error);
  return known.code === 'storage-full' || known.code === 'overloaded' ? known : error;
}
