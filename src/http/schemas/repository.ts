import { z } from '@hono/zod-openapi';
import { repositoryTypes, visibilities, type Repository } from '../../catalog/contract/repository-records.ts';
import { fidelities } from '../../checkpoint/role.ts';
import { nameSchema } from './parameters.ts';
import { evaluationChange, thresholdsSchema } from './quantization/thresholds.ts';

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
  .openapi('RepositoryInput', { example: { namespace: 'acme', name: 'lm-small' } });

const showsSchema = z.enum(['compressed', 'uploaded']).openapi({
  description:
    'What a branch shows once a lossy checkpoint is ready: its compressed form, or what was pushed. ' +
    'The other form has a tag, `step-N-uploaded` or `step-N-compressed`.',
});

export const hubSettingsInput = z
  .strictObject({
    fidelity: z.enum(fidelities).openapi({
      description:
        '`exact`: every file comes back as it was pushed. `lossy`: weights are compressed inside the thresholds.',
    }),
    ...evaluationChange,
    shows: showsSchema.optional(),
  })
  .openapi('HubSettingsInput', {
    description:
      'How weights that hub clients push (`push_to_hub`, `hf upload`) are kept from now on; replaces ' +
      'the settings as a whole.',
    example: { fidelity: 'lossy', evalSet: 'held-out', thresholds: { loss: 0.01 } },
  });

export const repositoryChange = z
  .strictObject({ visibility: z.enum(visibilities).optional(), hub: hubSettingsInput.optional() })
  .refine((change) => Object.keys(change).length > 0, 'must name visibility or hub')
  .openapi('RepositoryChange', { example: { visibility: 'public' } });

const hubSettingsSchema = z
  .object({
    fidelity: z.enum(fidelities),
    evalSet: z.string().optional(),
    thresholds: thresholdsSchema.optional(),
    shows: showsSchema,
  })
  .openapi('HubSettings', { description: 'How weights that hub clients push are kept.' });

const repositoryExample = {
  namespace: 'acme',
  name: 'lm-small',
  type: 'model',
  visibility: 'private',
  hub: { fidelity: 'exact', shows: 'compressed' },
  createdAt: '2026-01-02T03:04:05.000Z',
};

export const repositorySchema = z
  .object({
    namespace: z.string(),
    name: z.string(),
    type: z.enum(repositoryTypes),
    visibility: z.enum(visibilities),
    hub: hubSettingsSchema,
    createdAt: z.iso.datetime(),
  })
  .openapi('Repository', { example: repositoryExample });

export const repositoryList = z
  .object({
    items: z.array(repositorySchema),
    next: z.string().optional().openapi({ description: 'Value of `after` for the next page; absent on the last.' }),
  })
  .openapi('RepositoryList', { example: { items: [repositoryExample] } });

export function renderRepository({
  namespace,
  name,
  type,
  visibility,
  hubSettings: hub = { fidelity: 'exact', shows: 'compressed' },
  createdAt,
}: Repository): z.infer<typeof repositorySchema> {
  return { namespace, name, type, visibility, hub, createdAt: createdAt.toISOString() };
}
