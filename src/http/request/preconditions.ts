import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Precondition } from '../../catalog/contract/precondition.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { entityTag, otherTag } from '../answer/entity-tag.ts';
import { listHas } from '../answer/plan-response.ts';
import type { AppEnv } from '../app-env.ts';

/** Header fields of a GET whose answer has an ETag. */
export const readHeaders = z.object({
  'if-none-match': z
    .string()
    .optional()
    .openapi({ description: 'ETags that the client has; if it is one of them, the answer is 304 without a body.' }),
  'if-match': z.string().optional().openapi({ description: 'Answered only if its ETag is one of these.' }),
});
/** Header fields of a request that changes what a GET answers. */
export const changeHeaders = z.object({
  'if-match': z
    .string()
    .optional()
    .openapi({
      description:
        'The ETag of the answer that the change is made from. If anything in it has changed since, nothing is ' +
        'done: 412. Of several clients that change the same at once, one succeeds.',
      example: '"3f1d9c2a7b604e58a1c0d2e4f6987b35"',
    }),
});
/** Of a request that may also create it. */
export const replaceHeaders = changeHeaders.extend({
  'if-none-match': z
    .literal('*')
    .optional()
    .openapi({ description: 'Only if there is none yet; else 412.', example: '*' }),
});

/** The answer of a GET to a client that has it already. */
export const notModified = { description: 'The client has it already: If-None-Match.' };

/** Header field of an answer. */
export const entityTagHeader = {
  ETag: {
    description: 'Strong; changes when anything in the answer does. For If-Match and If-None-Match.',
    required: true,
    schema: { type: 'string' as const },
  },
};

/**
 * The precondition that a request sets, undefined without one. `current` locks the record in the transaction and
 * returns what a GET would show of it now; undefined if it does not exist.
 */
export function preconditionOf(
  c: Context<AppEnv>,
  current: (tx: Catalog) => Promise<object | undefined>,
): Precondition | undefined {
  const [ifMatch, ifNoneMatch] = [c.req.header('if-match'), c.req.header('if-none-match')];
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return async (tx) => {
    const shown = await current(tx);
    const etag = shown && entityTag(shown);
    if (ifMatch !== undefined && (etag === undefined || !listHas(ifMatch, etag, 'strong'))) throw otherTag(etag);
    if (ifNoneMatch !== undefined && etag !== undefined && listHas(ifNoneMatch, etag, 'weak'))
      throw new FirnError('precondition-failed', `There is one already; its ETag is ${etag}.`);
  };
}
