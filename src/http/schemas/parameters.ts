import { z } from '@hono/zod-openapi';
import { visibilities } from '../../catalog/contract/repository-records.ts';
import { checkpointOrders } from '../../catalog/contract/checkpoint-records.ts';
import {
  filePathPattern,
  isName,
  isRunName,
  nameLengthMax,
  namePattern,
  pathLengthMax,
  reservedRunNamePattern,
} from '../../checkpoint/names.ts';
import { idempotencyKeyLengthMax, idempotencyKeyPattern } from '../request/idempotency.ts';

/** Largest step; a JSON number holds it exactly. */
const stepMax = 10 ** 15 - 1;
/** Most digits of a step. */
const stepDigitsMax = 15;
/** Most entries of one page. */
export const pageLimitMax = 1000;

export const nameSchema = z
  .string()
  .min(1)
  .max(nameLengthMax)
  .refine(isName, 'must be letters, digits, ".", "_" and "-", starting and ending with a letter or digit')
  .openapi({ pattern: namePattern, example: 'lm-small' });

export const runNameSchema = z
  .string()
  .min(1)
  .max(nameLengthMax)
  .refine(isRunName, 'must be letters, digits, ".", "_" and "-", and not "main", "step-*" or "*.lock"')
  .openapi({ pattern: namePattern, not: { pattern: reservedRunNamePattern }, example: 'first' });

/**
 * A path of a file inside a checkpoint. `checkFilePath` refuses what is none, after the records before it were looked
 * up.
 */
export const filePathSchema = z
  .string()
  .min(1)
  .max(pathLengthMax)
  .openapi({ pattern: filePathPattern, example: 'model.safetensors' });

export const stepSchema = z.number().int().min(0).max(stepMax).openapi({ example: 1000 });

export const sha256Schema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')
  .openapi({ example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' });

const pathStep = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,14})$/, 'must be a whole number of at most 15 digits without leading zeros')
  .transform(Number)
  .openapi({ type: 'integer', minimum: 0, maximum: stepMax, example: 1000 });

/** A step of an operation that reads. */
const readStep = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,14}|latest)$/, 'must be a whole number of at most 15 digits without leading zeros, or latest')
  .transform((text) => (text === 'latest' ? 'latest' : Number(text)))
  .openapi({
    pattern: '^(?:0|[1-9]\\d{0,14}|latest)$',
    type: ['integer', 'string'],
    minimum: 0,
    maximum: stepMax,
    example: 1000,
  });

const path = (name: string, description: string) => ({ name, in: 'path' as const, description });

export const namespaceParams = z.object({
  namespace: nameSchema.openapi({ param: path('namespace', 'Name of the namespace.'), example: 'acme' }),
});
export const repositoryParams = z.object({
  namespace: nameSchema.openapi({ param: path('namespace', 'Namespace of the repository.'), example: 'acme' }),
  name: nameSchema.openapi({ param: path('name', 'Name of the repository.') }),
});
export const evalSetParams = repositoryParams.extend({
  evalSet: nameSchema.openapi({ param: path('evalSet', 'Name of the eval set.'), example: 'held-out' }),
});
/** A checkpoint of the repository as `run@step`. */
export const checkpointName = z
  .string()
  .max(nameLengthMax + 1 + stepDigitsMax)
  .transform((text, ctx): { run: string; step: number } => {
    const at = text.lastIndexOf('@');
    const [run, step] = [text.slice(0, at), text.slice(at + 1)];
    if (at > 0 && isRunName(run) && /^(?:0|[1-9]\d{0,14})$/.test(step)) return { run, step: Number(step) };
    ctx.addIssue('must be a run and a step, such as "train@1200"');
    return z.NEVER;
  })
  .openapi({ type: 'string', example: 'train@1200' });

export const runParams = repositoryParams.extend({
  run: runNameSchema.openapi({ param: path('run', 'Name of the run.') }),
});
export const checkpointParams = runParams.extend({
  step: pathStep.openapi({ param: path('step', 'Training step of the checkpoint.') }),
});
/** A checkpoint that is read. */
export const readCheckpointParams = runParams.extend({
  step: readStep.openapi({
    param: path('step', 'Training step of the checkpoint, or `latest`: the newest one of the run that is ready.'),
  }),
});
const filePath = {
  path: filePathSchema.openapi({
    param: path('path', 'Path of the file inside the checkpoint. Slashes may be sent as they are or as %2F.'),
  }),
};
export const fileParams = checkpointParams.extend(filePath);
export const readFileParams = readCheckpointParams.extend(filePath);
export const tensorParams = readCheckpointParams.extend({
  tensor: z
    .string()
    .min(1)
    .max(4096)
    .openapi({ param: path('tensor', 'Name of the tensor.'), example: 'transformer.wte.weight' }),
});
export const packageParams = repositoryParams.extend({
  packageId: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits')
    .openapi({
      param: path('packageId', 'Id of the package.'),
      example: '00112233445566778899aabbccddeeff',
    }),
});

/** A revision as hub clients name it. */
const revisionText = z.string().min(1).max(300);
export const revisionParams = repositoryParams.extend({
  revision: revisionText.openapi({
    param: path(
      'revision',
      'A branch, a run (its newest ready checkpoint), a tag, `step-N`, `run/step-N`, or a revision of ' +
        '40 hex digits. Slashes may be sent as they are or as %2F.',
    ),
    example: 'step-1200',
  }),
});
export const pullQuery = z.object({
  have: revisionText.optional().openapi({
    param: {
      name: 'have',
      in: 'query',
      description: 'A revision whose packages the client has: those are marked `held`.',
    },
    example: 'step-1100',
  }),
});

export const uploadParams = repositoryParams.extend({
  uploadId: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits')
    .openapi({ param: path('uploadId', 'Id of the upload.'), example: '00112233445566778899aabbccddeeff' }),
});
export const uploadPartParams = uploadParams.extend({
  number: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a whole number from 1')
    .transform(Number)
    .openapi({
      type: 'integer',
      minimum: 1,
      maximum: 999_999,
      param: path('number', 'Number of the part, from 1.'),
      example: 1,
    }),
});

export const pageQuery = z.object({
  limit: z
    .string()
    .refine(isPageLimit, `must be a whole number from 1 to ${pageLimitMax}`)
    .transform(Number)
    .optional()
    .openapi({
      type: 'integer',
      minimum: 1,
      maximum: pageLimitMax,
      param: { name: 'limit', in: 'query', description: 'Most entries to return; 100 by default.' },
    }),
  after: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .openapi({ param: { name: 'after', in: 'query', description: '`next` of the page before.' } }),
});

/** Most characters of a search: a whole `namespace/name`. */
const searchLengthMax = 2 * nameLengthMax + 1;
export const repositoriesQuery = pageQuery.extend({
  search: z
    .string()
    .min(1)
    .max(searchLengthMax)
    .optional()
    .openapi({
      param: {
        name: 'search',
        in: 'query',
        description: 'A part of `namespace/name`, in upper or lower case. Only repositories with it are listed.',
      },
      example: 'lm-',
    }),
  namespace: nameSchema.optional().openapi({
    param: { name: 'namespace', in: 'query', description: 'Only repositories of this namespace are listed.' },
    example: 'acme',
  }),
  visibility: z
    .enum(visibilities)
    .optional()
    .openapi({
      param: { name: 'visibility', in: 'query', description: 'Only repositories with this visibility are listed.' },
      example: 'public',
    }),
});
export const checkpointsQuery = pageQuery.extend({
  order: z
    .enum(checkpointOrders)
    .optional()
    .openapi({
      param: {
        name: 'order',
        in: 'query',
        description: '`newest` begins with the newest checkpoint; `oldest` is the default. Keep it from page to page.',
      },
    }),
});

/** For every POST; idempotency.ts handles it before the operation runs. */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(idempotencyKeyLengthMax)
    .regex(idempotencyKeyPattern, 'must be visible ASCII characters')
    .optional()
    .openapi({
      description:
        'Repeated within 24 hours with the same path and body, a request that succeeded is not done again ' +
        'but answered as the first time, with ' +
        '`Idempotent-Replayed: true`; with another path or body, or while the first still runs, it is ' +
        'refused with 409. A key belongs to the token it is sent with.',
      example: '4f9f2f1e-6a0e-4b57-9d3e-2f0a4f5b7c11',
    }),
});

/** Default page size. */
export const pageLimitDefault = 100;

function isPageLimit(text: string): boolean {
  return /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= pageLimitMax;
}
