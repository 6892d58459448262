import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { fileAgeMs } from '../file-age.ts';
import { isRunning, thisProcess, type ProcessIdentity } from './process-identity.ts';

/** How often the holder renews its lock, in ms. */
const renewMs = 5_000;
/** A lock from another machine that was not renewed for so long, in ms, has no holder any more: six renewals. */
const staleMs = 30_000;
/** A takeover is a few file operations in a row; one older than this, in ms, died in the middle. */
const takeoverMs = 10_000;

export interface DirectoryLock {
  /** Gives the directory back. No error when it is gone. */
  release(): void;
}

interface Owner extends ProcessIdentity {
  readonly token: string;
}

/**
 * Holds a directory for this process through the file `lock` in it, which names the process. A second process, or a
 * second call in this one, is refused with `conflict` while the first lives; what a dead one left is taken over. An
 * owner on this machine is looked up; one elsewhere lives as long as it renews the file, by the clock of the file
 * system, because those of the machines may differ. The file stays behind when the process is killed. Needs a file
 * system with exclusive creation. Failures of the disk pass as they are and leave no file.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const path = join(directory, 'lock');
  const mine: Owner = { ...thisProcess(), token: randomUUID() };
  if (!create(path, mine)) takeOver(path, mine);
  const renew = setInterval(() => renewIfMine(path, mine), renewMs).unref();
  return {
    release() {
      clearInterval(renew);
      if (read(path)?.token === mine.token) rmSync(path, { force: true });
    },
  };
}

/**
 * Synchronous throughout, so that nothing of this process comes between; `takeover` keeps other processes from doing
 * the same at once.
 */
function takeOver(path: string, mine: Owner): void {
  refuseLiving(path);
  const guard = `${path}.takeover`;
  if (fileAgeMs(guard) > takeoverMs) rmSync(guard, { force: true });
  if (!create(guard, mine)) throw inUse(undefined, path);
  try {
    // Another process may have taken over between the look and the guard.
    refuseLiving(path);
    rmSync(path, { force: true });
    if (!create(path, mine)) throw inUse(read(path), path);
  } finally {
    rmSync(guard, { force: true });
  }
}

function refuseLiving(path: string): void {
  const owner = read(path);
  const lives = (owner && isRunning(owner)) ?? fileAgeMs(path) <= staleMs;
  if (lives) throw inUse(owner, path);
}

/**
 * False when the file exists. One that cannot be written whole is removed again: nobody could tell it from a lock that
 * is just being written.
 */
function create(path: string, owner: Owner): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(file, JSON.stringify(owner));
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return true;
}

/** Undefined when absent, or just being written. */
function read(path: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

function renewIfMine(path: string, mine: Owner): void {
  try {
    if (read(path)?.token !== mine.token) return;
    // Its first byte again: a write is stamped by the file system, while utimes would say what time it is here.
    const file = openSync(path, 'r+');
    try {
      writeSync(file, '{', 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // A disk that fails here fails the catalog's own writes too, which report it.
  }
}

function inUse(owner: Owner | undefined, path: string): FirnError {
  const who = owner === undefined ? 'another process' : `process ${owner.pid}`;
  return new FirnError('conflict', `The data directory is in use by ${who}. One process at a time may open it.`, {
    detail: path,
  });
}
