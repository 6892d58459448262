import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

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
 * The command for this code as it is now: compiled, or as TypeScript sources, which need tsx in the child too. If the
 * system has `prlimit`, the kernel refuses data memory well beyond `memoryMaxBytes`, so that a sudden allocation fails
 * before the watch notices it.
 */
export function childCommand(memoryMaxBytes: number): ChildCommand {
  const isSource = import.meta.url.endsWith('.ts');
  const modulePath = fileURLToPath(
    new URL(isSource ? './evaluation-process.ts' : './evaluation-process.js', import.meta.url),
  );
  const nodeArgv = [
    '--expose-gc',
    `--max-old-space-size=${heapMebibytesMax}`,
    ...(isSource ? ['--import', loaderUrl()] : []),
  ];
  if (!isExecutable(prlimitPath)) return { modulePath, execPath: process.execPath, execArgv: nodeArgv };
  const limit = `--data=${Math.ceil(memoryMaxBytes + processDataBytes)}`;
  return { modulePath, execPath: prlimitPath, execArgv: [limit, process.execPath, ...nodeArgv] };
}

/** Absolute, because a child resolves a bare name from its working directory. */
function loaderUrl(): string {
  return pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
