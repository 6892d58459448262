import { z } from '@hono/zod-openapi';
import { repositoryTypes, type Repository } from '../../catalog/catalog.ts';
import { nameSchema } from './parameters.ts';

export const repositoryInput = z
  .strictObject({
    namespace: nameSchema.openapi({ example: 'acme' }),
    name: nameSchema,
    type: z.enum(repositoryTypes).optional().openapi({ description: '`model` by default.' }),
  })
  .openapi('RepositoryInput');

export const repositorySchema = z
  .object({
    namespace: z.string(),
    name: z.string(),
    type: z.enum(repositoryTypes),
    createdAt: z.iso.datetime(),
  })
  .openapi('Repository', { example: { namespace: 'acme', name: 'lm-small', type: 'model', createdAt: '2026-01-02T03:04:05.000Z' } });

export const repositoryList = z
  .object({
    items: z.array(repositorySchema),
    next: z.string().optional().openapi({ description: 'Value of `after` for the next page; absent on the last.' }),
  })
  .openapi('RepositoryList');

export function renderRepository({ namespace, name, type, createdAt }: Repository): z.infer<typeof repositorySchema> {
  return { namespace, name, type, createdAt: createdAt.toISOString() };
}
