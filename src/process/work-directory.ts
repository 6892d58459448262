import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDirectory } from '../catalog/pglite/directory-lock.ts';
import { fileAgeMs } from '../catalog/file-age.ts';
import { FirnError } from '../checkpoint/firn-error.ts';

export interface WorkDirectory {
  readonly path: string;
  /** Releases the directory; if it belonged to this process alone, its content is deleted. */
  release(): Promise<void>;
}

const prefix = 'process-';
/** A directory younger than this, in ms, may belong to a process that is about to lock it. */
const settlingMs = 60_000;

/**
 * Scratch space of the only process of a data directory. Deletes the remains of a killed process except `kept`, whose
 * complete files are recognized and used again.
 */
export async function openSoleWorkDirectory(path: string, kept: string): Promise<WorkDirectory> {
  await mkdir(kept, { recursive: true });
  for (const name of await readdir(path)) {
    if (join(path, name) !== kept) await rm(join(path, name), { recursive: true, force: true });
  }
  return { path, release: async () => undefined };
}

/**
 * Scratch space of one of several processes: a locked folder of its own in `parent`. Deletes those of dead processes.
 */
export async function openSharedWorkDirectory(parent: string): Promise<WorkDirectory> {
  await mkdir(parent, { recursive: true });
  for (const entry of await readdir(parent, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name.startsWith(prefix)) await removeDead(join(parent, entry.name));
  }
  const path = join(parent, `${prefix}${randomUUID()}`);
  await mkdir(path);
  const lock = lockDirectory(path);
  return {
    path,
    async release() {
      lock.release();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** Bytes that an ordinary user may still write on the disk of a directory. */
export async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

async function removeDead(path: string): Promise<void> {
  try {
    // By the clock of the file system: this machine's may be ahead of others.
    if (fileAgeMs(path) < settlingMs) return;
    lockDirectory(path).release();
  } catch (error) {
    if (error instanceof FirnError && error.code === 'conflict') return;
    // Another process has just removed it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await rm(path, { recursive: true, force: true });
}
