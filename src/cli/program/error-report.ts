import { FirnProblem } from '../../../clients/typescript/src/firn-problem.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { exitCodeOf, exitCodes } from '../exit-code.ts';
import { explain, withAdvice } from '../with-advice.ts';

/** A command line that is wrong: a word, an option or an argument that is not known, or one that is missing. */
export class UsageError extends Error {
  /** What to write instead, or which help says so. */
  readonly advice: string;
  /** The whole in one line. */
  readonly line: string;

  constructor(message: string, advice: string, line: string) {
    super(message);
    this.advice = advice;
    this.line = line;
  }
}

/** An error as `--json` prints it. docs/guide/cli.md has the fields. */
export interface ErrorReport {
  /** The API's code, `unreachable`, `usage`, or `failed` for anything else. */
  readonly code: string;
  readonly message: string;
  readonly advice?: string;
  /** Of this machine's files and data, such as the path. */
  readonly detail?: string;
  /** Names of the command. */
  readonly command: string;
  /** HTTP status and request id, if a hub refused. */
  readonly status?: number;
  readonly requestId?: string;
}

/** An error as a program reads it. `evalSet` is the one that was named as an option. Pure. */
export function errorReport(error: unknown, command: string, evalSet: string | undefined): ErrorReport {
  if (!(error instanceof Error)) return { code: 'failed', message: String(error), command };
  if (error instanceof UsageError) return { code: 'usage', message: error.message, advice: error.advice, command };
  if (error instanceof FirnError) {
    const { code, message, detail } = error;
    return { code, message, ...(detail !== undefined && { detail }), command };
  }
  const explained = explain(error, evalSet);
  if (!(error instanceof FirnProblem))
    return { code: exitCodeOf(error) === exitCodes.unreachable ? 'unreachable' : 'failed', ...explained, command };
  const { code, status, requestId } = error;
  return { code, ...explained, command, status, ...(requestId !== undefined && { requestId }) };
}

/** An error as a person reads it, in one line. Pure. */
export function errorLine(error: unknown, evalSet: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof UsageError) return error.line;
  return error instanceof FirnError && error.detail !== undefined
    ? `${error.message} (${error.detail})`
    : withAdvice(error, evalSet);
}
