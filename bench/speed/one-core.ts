import { spawnSync } from 'node:child_process';

/** Whether this machine can bind a process to a processor. */
export function hasTaskset(): boolean {
  return spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * Binds all threads of a process, and those it starts later, to the given processors ("1" or "0,2-5"). Throws if the
 * system refuses.
 */
function tieToCores(pid: number, cores: string): void {
  const { status, stderr } = spawnSync('taskset', ['-a', '-p', '-c', cores, String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`taskset: ${String(stderr)}`);
}

/** The hub gets the processor for itself; this process gets those below it, if any. */
export function placeOnCores(hubPid: number, cpu: number): void {
  tieToCores(hubPid, String(cpu));
  tieToCores(process.pid, cpu === 0 ? '0' : `0-${cpu - 1}`);
}
