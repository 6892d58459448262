import { FirnError } from '../checkpoint/firn-error.ts';

/**
 * cancel: a user cancelled the job. lost-lease: another worker may have the job now, nothing may be recorded. shutdown:
 * the process stops, the job goes back.
 */
export type AbortWhy = 'cancel' | 'lost-lease' | 'shutdown';

const sentences: Readonly<Record<AbortWhy, string>> = {
  cancel: 'The work was cancelled.',
  'lost-lease': 'The worker lost its claim on the work.',
  shutdown: 'The server is stopping.',
};

/** The reason of an aborted job signal. */
export class JobAborted extends FirnError {
  readonly why: AbortWhy;

  constructor(why: AbortWhy) {
    super('cancelled', sentences[why]);
    this.name = 'JobAborted';
    this.why = why;
  }
}

/** The reason why a job's signal fired; undefined if it has not. */
export function abortWhy(signal: AbortSignal): AbortWhy | undefined {
  return signal.aborted && signal.reason instanceof JobAborted ? signal.reason.why : undefined;
}
