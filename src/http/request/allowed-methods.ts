import { TrieRouter } from 'hono/router/trie-router';

/** Methods of a route table, by path. HEAD is included with GET, because the framework answers it. */
export interface AllowedMethods {
  /** In alphabetical order; empty if no route has the path. */
  of(path: string): readonly string[];
}

/**
 * Computes the methods of each path, to distinguish 405 from 404 (RFC 9110 section 15.5.6). Middleware entries (`ALL`)
 * do not count.
 */
export function allowedMethods(routes: readonly { readonly method: string; readonly path: string }[]): AllowedMethods {
  const router = new TrieRouter<string>();
  const known = new Set<string>();
  for (const { method, path } of routes) {
    if (method === 'ALL') continue;
    known.add(method);
    router.add(method, path, method);
  }
  return {
    of(path) {
      const matching = [...known].filter((method) => router.match(method, path)[0].length > 0);
      return [...new Set(matching.includes('GET') ? [...matching, 'HEAD'] : matching)].sort();
    },
  };
}
