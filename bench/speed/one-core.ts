import { spawnSync } from 'node:child_process';

/** Whether this machine can tie a process to a core. */
export function hasTaskset(): boolean {
  return spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * Ties all threads of a process, and those it starts later, to the given cores ("1" or "0,2-5"). Throws when the system
 * refuses.
 */
function tieToCores(pid: number, cores: string): void {
  const { status, stderr } = spawnSync('taskset', ['-a', '-p', '-c', cores, String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`taskset: ${String(stderr)}`);
}

/** A hub has the core to itself, this process takes those below it where there are any. */
export function placeOnCores(hubPid: number, cpu: number): void {
  tieToCores(hubPid, String(cpu));
  tieToCores(process.pid, cpu === 0 ? '0' : `0-${cpu - 1}`);
}
