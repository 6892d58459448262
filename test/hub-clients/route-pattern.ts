const repository = String.raw`/(?:models|datasets|spaces)/[^/]+/[^/]+`;
/** Paths as they are sent, and how the table writes them; the first that fits counts. */
const patterns: readonly (readonly [path: RegExp, written: string])[] = [
  [/^\/api\/(?:models|datasets|spaces)$/, '/api/{type}'],
  [new RegExp(`^/api${repository}$`), '/api/{type}/{id}'],
  [new RegExp(`^/api${repository}/auth-check/write$`), '/api/{type}/{id}/auth-check/write'],
  [
    new RegExp(`^/api${repository}/(revision|commits|preupload|commit|paths-info|xet-\\w+-token|tag)/.+$`),
    '/api/{type}/{id}/$1/{rev}',
  ],
  [new RegExp(`^/api${repository}/(branch|super-squash)/.+$`), '/api/{type}/{id}/$1/{branch}'],
  [new RegExp(`^/api${repository}/tree/[^/]+$`), '/api/{type}/{id}/tree/{rev}'],
  [new RegExp(`^/api${repository}/tree/.+$`), '/api/{type}/{id}/tree/{rev}/{path}'],
  [new RegExp(`^/api${repository}/(.+)$`), '/api/{type}/{id}/$1'],
  [/^\/api\/(.+)$/, '/api/$1'],
  [/^(?:\/(?:datasets|spaces))?\/[^/]+\/[^/]+\/(resolve|raw)\/.+$/, '/{id}/$1/{rev}/{path}'],
  [/^(?:\/(?:datasets|spaces))?\/[^/]+\/[^/]+\.git\/info\/lfs\/(.+)$/, '/{id}.git/info/lfs/$1'],
  [/^\/hub\/lfs\/[0-9a-f]+\/[0-9a-f]+$/, '/hub/lfs/{repository}/{sha256}'],
  [
    /^\/hub\/xet\/[0-9a-f]+\/\d+\/(v\d)\/(chunks|xorbs)\/(\w+)\/[0-9a-f]+$/,
    '/hub/xet/{repository}/{day}/$1/$2/$3/{hash}',
  ],
  [/^\/hub\/xet\/[0-9a-f]+\/\d+\/(.+)$/, '/hub/xet/{repository}/{day}/$1'],
];

/** The route of a request, with `{...}` for what varies: `GET /{id}/resolve/{rev}/{path}`. Pure. */
export function routePattern(method: string, path: string): string {
  for (const [pattern, written] of patterns)
    if (pattern.test(path)) return `${method} ${path.replace(pattern, written)}`;
  return `${method} ${path}`;
}
