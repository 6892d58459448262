import { FirnError } from '../../checkpoint/firn-error.ts';

/** Most validation errors in one answer. */
const issuesShown = 3;

/** The error for a request whose path, query, headers or body do not match their schema. Pure. */
export function invalidRequest(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): FirnError {
  const shown = issues.slice(0, issuesShown).map(({ path, message }) => {
    return `${path.length === 0 ? 'The value' : path.map(String).join('.')}: ${message}`;
  });
  return new FirnError('invalid-request', `The request is not valid. ${shown.join('; ')}.`);
}
