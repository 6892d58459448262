import { getPath, getPathNoStrict } from 'hono/utils/url';

/**
 * The path that a request is routed by: without a slash at its end, which makes no difference. Only a deletion has to
 * name what it deletes to the letter: a path whose last name is empty or `..` would delete what holds it.
 */
export function pathOfRequest(request: Request): string {
  return request.method === 'DELETE' ? getPath(request) : getPathNoStrict(request);
}
