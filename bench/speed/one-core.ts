import { spawnSync } from 'node:child_process';

/** Whether this machine can tie a process to a core. */
export function hasTaskset(): boolean {
  return spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Ties all threads of a process, and those it starts later, to the given cores ("1" or "0,2-5"). Throws when the system refuses. */
export function tieToCores(pid: number, cores: string): void {
  const { status, stderr } = spawnSync('taskset', ['-a', '-p', '-c', cores, String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`taskset: ${String(stderr)}`);
}
