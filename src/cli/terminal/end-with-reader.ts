import { exitCodes } from '../exit-code.ts';

/**
 * Ends a process whose output nobody reads any more, as `head` does after its first lines: quietly, with the exit code
 * that a shell gives for a broken pipe. Remarks that nobody reads are dropped.
 */
export function endWithReader({ stdout, stderr, exit }: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit'>): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    exit(exitCodes.unread);
  });
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
