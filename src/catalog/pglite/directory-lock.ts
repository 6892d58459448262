import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { fileAgeMs } from '../file-age.ts';
import { isRunning, thisProcess, type ProcessIdentity } from './process-identity.ts';

/** Interval at which the holder renews its lock, in ms. */
const renewMs = 5_000;
/** A lock of another machine that was not renewed for this long, in ms, has no holder any more: six renewals. */
const staleMs = 30_000;
/** A takeover is a few file operations. If it is older than this, in ms, its process died, wherever it ran. */
const takeoverMs = 10_000;

export interface DirectoryLock {
  /** Releases the directory. No error if it is gone. */
  release(): void;
}

interface Owner extends ProcessIdentity {
  readonly token: string;
}

/**
 * Locks a directory for this process through the file `lock` in it, which names the process. A second process, or a
 * second call in this one, is refused with `conflict` while the first lives; a dead process's lock is taken over. An
 * owner on this machine is looked up. An owner elsewhere counts as alive while it renews the file, by the clock of the
 * file system, because the clocks of machines may differ. The file stays when the process is killed. Needs a file
 * system with exclusive creation. Failures of the disk are not translated and leave no file.
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

/** Synchronous, so that no other code of this process runs in between; `takeover` excludes other processes. */
function takeOver(path: string, mine: Owner): void {
  refuseLiving(path);
  const guard = `${path}.takeover`;
  const taker = read(guard);
  const isDead = taker !== undefined && isRunning(taker) === false;
  if (isDead || fileAgeMs(guard) > takeoverMs) rmSync(guard, { force: true });
  if (!create(guard, mine)) throw inUse(undefined, path);
  try {
    // Another process may have taken over between the check and the creation of `takeover`.
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
 * False if the file exists. A file that cannot be written completely is removed again: otherwise it would look like a
 * lock that is being written.
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

/** Undefined if absent or still being written. */
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
    // Write the first byte again: the file system stamps a write with its own clock, while utimes would use this
    // machine's.
    const file = openSync(path, 'r+');
    try {
      writeSync(file, '{', 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // A disk that fails here also fails the catalog's own writes, which report it.
  }
}

function inUse(owner: Owner | undefined, path: string): FirnError {
  const who = owner === undefined ? 'another process' : `process ${owner.pid}`;
  return new FirnError('conflict', `The data directory is in use by ${who}. One process at a time may open it.`, {
    detail: path,
  });
}
