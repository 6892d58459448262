import { FirnError } from '../../checkpoint/firn-error.ts';

/** The error of a request for a path that nothing is at. */
export function nothingThere(): FirnError {
  return new FirnError('not-found', 'There is nothing at this path.');
}
