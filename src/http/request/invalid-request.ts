import { FirnError } from '../../checkpoint/firn-error.ts';

/** Most complaints about one request that an answer repeats. */
const issuesShown = 3;

/** The refusal of a request whose path, query, headers or body do not fit their schema. Pure. */
export function invalidRequest(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): FirnError {
  const shown = issues.slice(0, issuesShown).map(({ path, message }) => {
    return `${path.length === 0 ? 'The value' : path.map(String).join('.')}: ${message}`;
  });
  return new FirnError('invalid-request', `The request is not valid. ${shown.join('; ')}.`);
}
