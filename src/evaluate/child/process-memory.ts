import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Longest wait for `ps`, if it is needed. */
const psTimeoutMs = 1000;

/**
 * Bytes of memory that a process owns: on Linux its anonymous pages, so that mapped weight files do not count, on disk
 * or in memory; elsewhere its resident set according to `ps`, which includes mapped files. Undefined when the process
 * is gone or nothing can be read.
 */
export async function processMemoryBytes(pid: number): Promise<number | undefined> {
  try {
    if (process.platform === 'linux') return ownedBytes(await statusOf(pid));
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)], { timeout: psTimeoutMs });
    return Number.parseInt(stdout, 10) * 1024 || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Longest status file, in bytes; it takes about 1.5 KiB. `readFile` would make a buffer of 64 KiB for every look, and a
 * child is looked at many times a second.
 */
const statusMaxBytes = 4096;

/** The start of a /proc/PID/status file. */
async function statusOf(pid: number): Promise<string> {
  const file = await open(`/proc/${pid}/status`);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(statusMaxBytes), 0, statusMaxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** RssAnon of a /proc/PID/status file (proc(5)), which states it in KiB. */
function ownedBytes(status: string): number | undefined {
  const anonymous = /^RssAnon:\s*(\d+) kB$/m.exec(status)?.[1];
  return anonymous === undefined ? undefined : Number(anonymous) * 1024;
}
