import { readFileSync } from 'node:fs';

/** Linux reports processor time in hundredths of a second. */
const ticksPerSecond = 100;
/** User and system time among the fields after the command's closing bracket (proc_pid_stat(5), fields 14 and 15). */
const userField = 11;
const systemField = 12;

/** Processor time that all threads of a process have used so far, in seconds; NaN if the system does not report it. */
export function processorSecondsOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[userField]) + Number(fields[systemField])) / ticksPerSecond;
  } catch {
    return Number.NaN;
  }
}
