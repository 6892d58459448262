import { accessSync, constants } from 'node:fs';
import type { DeviceKind } from '../../checkpoint/device-kind.ts';
import { programPath } from '../../program-files.ts';

/** How to start an evaluation child with `fork`. */
export interface ChildCommand {
  readonly modulePath: string;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  /** Arguments of the module; none when absent. */
  readonly args?: readonly string[];
  /** The whole environment of the child; empty when absent. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Argument of a child that starts the CUDA provider before it says that it is ready. */
export const cudaArgument = '--cuda';

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
 * Variables of this process that a child with CUDA gets: where libraries lie, and which devices there are. Nothing else
 * of the environment reaches a child.
 */
export const cudaVariables = ['LD_LIBRARY_PATH', 'CUDA_VISIBLE_DEVICES', 'CUDA_DEVICE_ORDER'] as const;

export interface ChildCommandOptions {
  readonly memoryMaxBytes: number;
  /** The processor when absent. */
  readonly device?: DeviceKind;
  /** Values of {@link cudaVariables}, for a child with CUDA. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * The command of a child. If the system has `prlimit`, the kernel refuses data memory well beyond `memoryMaxBytes`, so
 * that a sudden allocation fails before the watch notices it. Not so with CUDA, whose driver maps memory of its own of
 * a size that nobody documents: there the watch alone holds the limit. TF32 is off: it keeps ten bits of each weight,
 * which is less than what candidates differ by.
 */
export function childCommand({ memoryMaxBytes, device = 'cpu', environment = {} }: ChildCommandOptions): ChildCommand {
  const modulePath = programPath('evaluate/child/evaluation-process');
  const nodeArgv = ['--expose-gc', `--max-old-space-size=${heapMebibytesMax}`];
  if (device === 'cuda')
    return {
      modulePath,
      execPath: process.execPath,
      execArgv: nodeArgv,
      args: [cudaArgument],
      environment: { ...environment, NVIDIA_TF32_OVERRIDE: '0' },
    };
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
