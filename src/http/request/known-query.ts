import { z, type OpenAPIHono } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { nearestName } from '../../checkpoint/words/nearest-name.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import type { AppEnv } from '../app-env.ts';

type Registry = OpenAPIHono<AppEnv>['openAPIRegistry'];

/**
 * Refuses a query parameter that the operation does not have, with the name that was probably meant: a mistyped one
 * would otherwise be ignored without a word. Also one that is given twice: no operation takes a list.
 * `invalid-request`. The registry may be filled after this call; it is read at the first request.
 */
export function knownQuery(registry: Registry): MiddlewareHandler<AppEnv> {
  let parameters: TrieRouter<readonly string[]> | undefined;
  return async function checkQuery(c, next) {
    const given = new URL(c.req.url).searchParams;
    if (given.size === 0) return next();
    parameters ??= queryParameters(registry);
    // The framework answers HEAD with the handler of GET.
    const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
    const [operations] = parameters.match(method, c.req.path);
    // No operation: the answer is 404 or 405.
    if (operations.length === 0) return next();
    const known = operations.flatMap(([names]) => names);
    const seen = new Set<string>();
    for (const name of given.keys()) {
      if (!known.includes(name)) throw unknownParameter(name, known);
      if (seen.has(name)) throw repeatedParameter(name);
      seen.add(name);
    }
    return next();
  };
}

/** Names of the query parameters of each operation of the document. */
function queryParameters({ definitions }: Registry): TrieRouter<readonly string[]> {
  const router = new TrieRouter<readonly string[]>();
  for (const definition of definitions) {
    if (definition.type !== 'route') continue;
    const { method, path, request } = definition.route;
    const names = request?.query instanceof z.ZodObject ? Object.keys(request.query.shape) : [];
    router.add(method.toUpperCase(), path.replaceAll(/\/\{(.+?)\}/g, '/:$1'), names);
  }
  return router;
}

function repeatedParameter(name: string): FirnError {
  return new FirnError('invalid-request', `The query parameter ${quoteName(name)} may be given only once.`);
}

function unknownParameter(name: string, known: readonly string[]): FirnError {
  const meant = nearestName(name, known);
  const offered =
    meant !== undefined
      ? `${meant} is one.`
      : known.length === 0
        ? 'It has none: leave it out.'
        : `It has ${known.join(', ')}.`;
  return new FirnError('invalid-request', `This operation has no query parameter ${quoteName(name)}. ${offered}`);
}
