import { z } from '@hono/zod-openapi';
import { repositoryTypes, visibilities, type Repository } from '../../catalog/contract/repository-records.ts';
import { nameSchema } from './parameters.ts';

export const repositoryInput = z
  .strictObject({
    namespace: nameSchema.openapi({ example: 'acme' }),
    name: nameSchema,
    type: z.enum(repositoryTypes).optional().openapi({ description: '`model` by default.' }),
    visibility: z
      .enum(visibilities)
      .optional()
      .openapi({ description: '`private` by default; `public` can be read by everybody, without a token.' }),
  })
  .openapi('RepositoryInput');

export const repositoryChange = z.strictObject({ visibility: z.enum(visibilities) }).openapi('RepositoryChange');

export const repositorySchema = z
  .object({
    namespace: z.string(),
    name: z.string(),
    type: z.enum(repositoryTypes),
    visibility: z.enum(visibilities),
    createdAt: z.iso.datetime(),
  })
  .openapi('Repository', {
    example: {
      namespace: 'acme',
      name: 'lm-small',
      type: 'model',
      visibility: 'private',
      createdAt: '2026-01-02T03:04:05.000Z',
    },
  });

export const repositoryList = z
  .object({
    items: z.array(repositorySchema),
    next: z.string().optional().openapi({ description: 'Value of `after` for the next page; absent on the last.' }),
  })
  .openapi('RepositoryList');

export function renderRepository({
  namespace,
  name,
  type,
  visibility,
  createdAt,
}: Repository): z.infer<typeof repositorySchema> {
  return { namespace, name, type, visibility, createdAt: createdAt.toISOString() };
}
