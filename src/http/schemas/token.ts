import { z } from '@hono/zod-openapi';
import type { TokenRecord } from '../../catalog/contract/token-records.ts';
import { formatGrant, parseGrant } from '../../checkpoint/grant.ts';

/** Longest name of a token, in characters. */
const tokenNameLengthMax = 200;
/** Most grants of a token. */
const grantsMax = 100;

const grantText = z
  .string()
  .max(300)
  .refine(
    isGrant,
    'must be read, write or admin, and then ":namespace" or ":namespace/repository" unless it is on everything',
  )
  .openapi({ example: 'write:acme/lm-small' });

export const tokenInput = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(tokenNameLengthMax)
      .openapi({ description: 'For people: whose it is, or what for.', example: 'training cluster' }),
    grants: z
      .array(grantText)
      .min(1)
      .max(grantsMax)
      .openapi({ description: 'Scopes with the place they hold on; a scope without one holds on everything.' }),
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .openapi({ description: 'From when on it is refused; never when absent.', example: '2027-01-01T00:00:00Z' }),
  })
  .openapi('TokenInput', { example: { name: 'training cluster', grants: ['write:acme'] } });

const tokenExample = {
  id: 'a1B2c3D4e5F6',
  name: 'training cluster',
  grants: ['write:acme'],
  createdAt: '2026-01-02T03:04:05.000Z',
};

export const tokenSchema = z
  .object({
    id: z.string().openapi({ description: 'The twelve characters of its text after `hf_`.' }),
    name: z.string(),
    grants: z.array(z.string()),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional(),
    revokedAt: z.iso.datetime().optional(),
  })
  .openapi('Token', { example: tokenExample });

export const createdTokenSchema = tokenSchema
  .extend({
    token: z.string().openapi({ description: 'What to send as `Authorization: Bearer`. It is shown only here.' }),
  })
  .openapi('CreatedToken', {
    example: { ...tokenExample, token: `hf_a1B2c3D4e5F6${'x'.repeat(32)}` },
  });

export const tokenList = z
  .object({
    items: z.array(tokenSchema),
    next: z.string().optional().openapi({ description: 'Value of `after` for the next page; absent on the last.' }),
  })
  .openapi('TokenList', { example: { items: [tokenExample] } });

export const whoamiSchema = z
  .object({
    id: z.string().openapi({
      description: 'Of the token; `anonymous` without one, `operator` on a server without access control.',
    }),
    name: z.string(),
    grants: z.array(z.string()),
  })
  .openapi('Whoami', { example: { id: 'a1B2c3D4e5F6', name: 'training cluster', grants: ['write:acme'] } });

export function renderToken({
  id,
  name,
  grants,
  createdAt,
  expiresAt,
  revokedAt,
}: TokenRecord): z.infer<typeof tokenSchema> {
  return {
    id,
    name,
    grants: grants.map(formatGrant),
    createdAt: createdAt.toISOString(),
    ...(expiresAt !== undefined && { expiresAt: expiresAt.toISOString() }),
    ...(revokedAt !== undefined && { revokedAt: revokedAt.toISOString() }),
  };
}

function isGrant(text: string): boolean {
  try {
    parseGrant(text);
    return true;
  } catch {
    return false;
  }
}
