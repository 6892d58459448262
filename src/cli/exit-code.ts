import { FirnProblem } from '../../clients/typescript/src/firn-problem.ts';
import { isNetworkError } from '../../clients/typescript/src/network-error.ts';
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
  /** What a shell gives for a program that ends by SIGPIPE: 128 + 13. */
  unread: 141,
} as const;

/** What each exit code means, for help and guide. */
export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.failed, 'it failed, it found damage, or the command line is wrong'],
  [exitCodes.notAllowed, 'the token may not do this, or there is none'],
  [exitCodes.notFound, 'there is no such thing, or you may not see it'],
  [exitCodes.unreachable, 'the hub cannot be reached'],
  [exitCodes.bad, 'the checkpoint failed or was cancelled'],
  [exitCodes.unread, 'nobody reads the output any more, as after head'],
];

/** The exit code for an error of a command. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Unreachable || isNetworkError(error)) return exitCodes.unreachable;
  if (!(error instanceof FirnProblem)) return exitCodes.failed;
  if (error.status === 401 || error.status === 403) return exitCodes.notAllowed;
  if (error.status === 404) return exitCodes.notFound;
  if (error.code === 'checkpoint-failed' || error.code === 'cancelled') return exitCodes.bad;
  return error.status >= 500 ? exitCodes.unreachable : exitCodes.failed;
}
