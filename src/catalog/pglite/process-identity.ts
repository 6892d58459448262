import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies a process so that another process can check it. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * Clock ticks from boot to its start, if the system reports them. A process number may be reused, but not with the
   * same start.
   */
  readonly started?: string;
  /** Host, boot and pid namespace: the scope in which `pid` identifies the process. */
  readonly machine: string;
}

export function thisProcess(): ProcessIdentity {
  const started = startOf(process.pid);
  return { pid: process.pid, ...(started !== undefined && { started }), machine: thisMachine() };
}

/**
 * Whether the process runs. Undefined if this process cannot know, because the other one belongs to another machine,
 * container or boot.
 */
export function isRunning(other: ProcessIdentity): boolean | undefined {
  if (other.machine !== thisMachine()) return undefined;
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startOf(other.pid) === other.started;
}

function thisMachine(): string {
  return [
    hostname(),
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    attempt(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' ');
}

/**
 * Field 22 of proc_pid_stat(5). The second field may hold spaces and parentheses, so counting starts after its last
 * one.
 */
function startOf(pid: number): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/** Undefined on systems without /proc. */
function attempt(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
