import type { OpenAPIHono } from '@hono/zod-openapi';
import type { AppEnv } from './app-env.ts';
import { programVersion } from './program-version.ts';

export const apiSummary = 'A model-hub storage gateway.';

export type OpenApiDocument = ReturnType<OpenAPIHono<AppEnv>['getOpenAPI31Document']>;

const tags = [
  { name: 'Repositories', description: 'What runs and eval sets live in.' },
  { name: 'Eval sets', description: 'A graph, batches and metrics that say how good a checkpoint is.' },
  {
    name: 'Runs',
    description: 'Training trajectories: ordered series of checkpoints, possibly forked from one another.',
  },
  { name: 'Checkpoints', description: 'The state at one step. Uploads are answered 202; compression follows.' },
  { name: 'Files', description: 'Files and tensors of a checkpoint, as uploaded or rebuilt.' },
  {
    name: 'Uploads',
    description: 'Files in several requests, resumed where they broke: tus 1.0, or parts in any order.',
  },
  { name: 'Packages', description: 'Compressed forms, for clients that decode by themselves.' },
  { name: 'Usage', description: 'What namespaces and repositories take, and may take.' },
  { name: 'Access', description: 'Tokens, and what they allow.' },
  { name: 'Webhooks', description: 'Addresses that get signed messages about what happens to checkpoints.' },
  { name: 'Operations', description: 'Health, metrics and this document.' },
];

/** The OpenAPI 3.1 document of the app's routes. */
export function openApiDocument(app: OpenAPIHono<AppEnv>): OpenApiDocument {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of POST /v1/tokens, or the one that the first start of a server prints.',
  });
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Firn',
      version: programVersion,
      description:
        `${apiSummary} Upload checkpoints; each is quantized inside a quality threshold and stored as a ` +
        'compressed base or delta; any of them is rebuilt on ' +
        'download.\n\nErrors are RFC 9457 problem details with a stable `code`. A POST may carry an ' +
        'Idempotency-Key: repeated within 24 hours it is answered ' +
        'as the first time; a key belongs to the token it is sent with, not to one repository or path, so ' +
        'make it unique, for example a UUID. Every answer has an X-Request-Id.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/', description: 'The server that answers this document.' }],
    // Public repositories can be read without a token.
    security: [{ token: [] }, {}],
    tags,
  });
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths ?? {}).map(([path, item]) => [withoutPatterns(path), item]),
    ),
  };
}

/** `{path{.+}}`, which lets a router's parameter span segments, is `{path}` in OpenAPI. */
function withoutPatterns(path: string): string {
  return path.replace(/\{(\w+)\{[^}]*\}\}/g, '{$1}');
}
