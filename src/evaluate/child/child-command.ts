import { accessSync, constants } from 'node:fs';
import { programPath } from '../../program-files.ts';

/** How to start an evaluation child with `fork`. */
export interface ChildCommand {
  readonly modulePath: string;
  readonly execPath: string;
  readonly execArgv: readonly string[];
}

/** Heap of JavaScript objects in a child; tensors are outside it. */
const heapMebibytesMax = 512;
/**
 * Memory that a child's process takes before it evaluates anything, in address space that counts as data: the heap's
 * reserve, code, and the stacks of its threads (8 MiB each). Added to the memory limit, so that the kernel's limit
 * never applies before the watch's.
 */
const processDataBytes = 2 ** 30;
/** Sets resource limits and then becomes the given command (util-linux). */
const prlimitPath = '/usr/bin/prlimit';

/**
 * The command of a child. If the system has `prlimit`, the kernel refuses data memory well beyond `memoryMaxBytes`, so
 * that a sudden allocation fails before the watch notices it.
 */
export function childCommand(memoryMaxBytes: number): ChildCommand {
  const modulePath = programPath('evaluate/child/evaluation-process');
  const nodeArgv = ['--expose-gc', `--max-old-space-size=${heapMebibytesMax}`];
  if (!isExecutable(prlimitPath)) return { modulePath, execPath: process.execPath, execArgv: nodeArgv };
  const limit = `--data=${Math.ceil(memoryMaxBytes + processDataBytes)}`;
  return { modulePath, execPath: prlimitPath, execArgv: [limit, process.execPath, ...nodeArgv] };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
