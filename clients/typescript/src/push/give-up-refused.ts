import { FirnProblem } from '../firn-problem.ts';
import type { Hub } from '../open-hub.ts';
import { formatTarget, type Target } from '../target.ts';
import type { LocalFile } from './find-checkpoints.ts';

/** Statuses that say that what is pushed is wrong: sending the same again is refused again. */
const forGood: ReadonlySet<number> = new Set([400, 413, 415, 422]);
/** Problems of these statuses that are about the way to the hub. */
const ofTheWay: ReadonlySet<string> = new Set([
  'upload-aborted',
  'length-mismatch',
  'digest-mismatch',
  'length-required',
]);

/**
 * Whether the hub would refuse the same files another time, too. A broken connection, a busy hub, a token or a quota
 * that does not allow it now are another matter: the push goes on when it is repeated. Pure.
 */
export function isRefusedForGood(error: unknown): error is FirnProblem {
  if (!(error instanceof FirnProblem)) return false;
  return (forGood.has(error.status) && !ofTheWay.has(error.code)) || error.code === 'upload-incomplete';
}

/** A problem that is about one file of this machine. */
class RefusedFile extends FirnProblem {
  readonly from: string;

  constructor(problem: FirnProblem, from: string) {
    super(problem.status, { ...partsOf(problem), detail: problem.message });
    this.from = from;
  }
}

/** Rethrows an error; one that refuses a file for good with the name that the file has here. */
export function refusalAbout(from: string): (error: unknown) => never {
  return (error) => {
    throw isRefusedForGood(error) ? new RefusedFile(error, from) : error;
  };
}

export interface Attempt {
  readonly hub: Hub;
  readonly target: Target & { readonly run: string; readonly step: number };
  readonly files: readonly LocalFile[];
  /** The step was not there before. */
  readonly isReservedHere: boolean;
}

/**
 * Does the work of a push. If the hub refuses for good what is pushed, a step that the push itself reserved is given
 * up, so that nothing waits for it, and the problem that is thrown says which step and which file or folder it is, and
 * what to do.
 */
export async function givingUpIfRefused<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isRefusedForGood(error)) throw error;
    const name = formatTarget(attempt.target);
    const isFree = attempt.isReservedHere && (await freeStep(attempt));
    const place = error instanceof RefusedFile ? error.from : placeOf(attempt.files);
    const next = isFree
      ? 'Nothing of it is kept, and the step is free: mend that, and push it again.'
      : `The step may still be reserved: mend that and push it again, or give it up with firn cancel ${name}.`;
    throw new FirnProblem(error.status, {
      ...partsOf(error),
      detail: `${name} was refused, from ${place}: ${error.message} ${next}`,
    });
  }
}

/** Deletes the reservation, which the hub refuses if somebody committed it meanwhile. Returns whether it is gone. */
async function freeStep({ hub, target }: Attempt): Promise<boolean> {
  try {
    await hub.api.DELETE('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}', {
      params: { path: target },
    });
    return true;
  } catch (error) {
    // The refused reservation was never made.
    return error instanceof FirnProblem && error.status === 404;
  }
}

function partsOf({ code, requestId, path }: FirnProblem) {
  return { code, ...(requestId !== undefined && { requestId }), ...(path !== undefined && { path }) };
}

/** The file, or the folder of several. */
function placeOf([first, ...more]: readonly LocalFile[]): string {
  if (first === undefined) return 'no file';
  return more.length > 0 && first.from.endsWith(first.path) ? first.from.slice(0, -first.path.length - 1) : first.from;
}
