import { FirnProblem } from '../../clients/typescript/src/firn-problem.ts';
import { Unreachable } from '../../clients/typescript/src/unreachable.ts';

/** What the exit codes of `firn` mean; docs/guide/cli.md has the same table. */
export const exitCodes = {
  done: 0,
  /** Anything that has no code of its own, a wrong command line included. */
  failed: 1,
  notAllowed: 3,
  notFound: 4,
  unreachable: 5,
  /** A checkpoint failed, or bytes are not what they should be. */
  bad: 6,
} as const;

/** The exit code for an error of a command that talks to a hub. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Unreachable) return exitCodes.unreachable;
  if (error instanceof FirnProblem) {
    if (error.status === 401 || error.status === 403) return exitCodes.notAllowed;
    if (error.status === 404) return exitCodes.notFound;
    return error.status >= 500 ? exitCodes.unreachable : exitCodes.failed;
  }
  const code = (error as NodeJS.ErrnoException).code;
  return code !== undefined && /^E(CONN|HOSTUNREACH|NETUNREACH|AI_AGAIN|PIPE|TIMEDOUT)/.test(code)
    ? exitCodes.unreachable
    : exitCodes.failed;
}
