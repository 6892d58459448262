import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDirectory } from '../catalog/pglite/directory-lock.ts';
import { fileAgeMs } from '../catalog/file-age.ts';
import { FirnError } from '../checkpoint/firn-error.ts';

export interface WorkDirectory {
  readonly path: string;
  /** Gives it back; nothing of it stays where it was this process's alone. */
  release(): Promise<void>;
}

const prefix = 'process-';
/** A directory younger than this may belong to a process that is just about to lock it, in ms. */
const settlingMs = 60_000;

/**
 * Scratch space of the one process of a data directory. What a killed one left goes, but `kept`, which holds what is
 * whole or recognised.
 */
export async function openSoleWorkDirectory(path: string, kept: string): Promise<WorkDirectory> {
  await mkdir(kept, { recursive: true });
  for (const name of await readdir(path)) {
    if (join(path, name) !== kept) await rm(join(path, name), { recursive: true, force: true });
  }
  return { path, release: async () => undefined };
}

/** Scratch space of one of many processes: a folder of its own in `parent`, locked. Those of dead processes go. */
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

/** What an ordinary user may still write on the disk of a directory, in bytes. */
export async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

async function removeDead(path: string): Promise<void> {
  try {
    // By the clock of the file system: that of this machine may be ahead of those of others.
    if (fileAgeMs(path) < settlingMs) return;
    lockDirectory(path).release();
  } catch (error) {
    if (error instanceof FirnError && error.code === 'conflict') return;
    // Somebody else has just removed it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await rm(path, { recursive: true, force: true });
}
