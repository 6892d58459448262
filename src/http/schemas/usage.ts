import { z } from '@hono/zod-openapi';
import type { NamespaceUsage, Usage } from '../../catalog/contract/storage/usage-records.ts';
import { usageExample } from './examples/usage-example.ts';

/** Largest quota, in bytes: the largest integer that a JSON number holds exactly. */
const quotaBytesMax = Number.MAX_SAFE_INTEGER;
const bytes = (description: string) => z.number().int().min(0).openapi({ description });

export const usageSchema = z
  .object({
    logicalBytes: bytes('Files of the checkpoints that can be seen, as they were uploaded; without sensitivities.'),
    storedBytes: bytes('Everything in the store because of them: the sum of `stored`.'),
    stored: z
      .object({
        packageBytes: bytes('Packages.'),
        stagedBytes: bytes('Uploads that wait to be compressed.'),
        rawBytes: bytes(
          'Uploads that are kept: files stored as they are, and those of the newest checkpoint of a lossy run.',
        ),
        hubBytes: bytes('Files that hub clients committed and no checkpoint holds.'),
        evalSetBytes: bytes('Graphs and batches of eval sets.'),
        hiddenBytes: bytes('What deleted checkpoints leave because others build on it.'),
        pendingDeletionBytes: bytes('What nothing needs any more and is deleted after the grace.'),
      })
      .openapi({ description: 'With frames and checksums.' }),
    compressed: z
      .object({
        checkpointCount: z.number().int().min(0).openapi({ description: 'Checkpoints that are ready.' }),
        rawBytes: bytes('Their files as they were uploaded, without sensitivities.'),
        storedBytes: bytes('Their `storedBytes` added up: packages, and files stored as they are.'),
        ratio: z
          .number()
          .optional()
          .openapi({ description: '`rawBytes` by `storedBytes`. Absent without checkpoints.' }),
      })
      .openapi({
        description:
          'What compression made of the checkpoints. It is no part of its own: `stored` counts these bytes in ' +
          '`packageBytes` and `rawBytes`.',
      }),
    reservedBytes: bytes('Room given to bodies on their way; not stored yet.'),
    transferred: z.object({
      receivedBytes: bytes('Bytes of requests, headers included. Told a minute late at most.'),
      sentBytes: bytes('Bytes of answers, headers included. Told a minute late at most.'),
    }),
  })
  .openapi('Usage', { example: usageExample });

const quotaSchema = z.object({
  storedBytesMax: bytes(
    'Of `storedBytes` without `pendingDeletionBytes`, and of `reservedBytes`; an upload that would go beyond ' +
      'is refused before its body.',
  ),
});

const namespaceExample = { namespace: 'acme', ...usageExample, quota: { storedBytesMax: 1_000_000_000_000 } };

export const namespaceUsageSchema = usageSchema
  .extend({ namespace: z.string(), quota: quotaSchema.optional() })
  .openapi('NamespaceUsage', { example: namespaceExample });

export const namespaceUsageList = z
  .object({
    items: z.array(namespaceUsageSchema),
    next: z.string().optional().openapi({ description: 'Value of `after` for the next page; absent on the last.' }),
  })
  .openapi('NamespaceUsageList', { example: { items: [namespaceExample] } });

export const quotaInput = z
  .strictObject({
    storedBytesMax: z
      .number()
      .int()
      .min(0)
      .max(quotaBytesMax)
      .nullable()
      .openapi({ description: 'null: no limit but that of the storage.', example: 1_000_000_000_000 }),
  })
  .openapi('QuotaInput', { example: { storedBytesMax: 1_000_000_000_000 } });

export function renderUsage({
  logical,
  stored,
  compressed,
  reserved,
  received,
  sent,
}: Usage): z.infer<typeof usageSchema> {
  return {
    logicalBytes: logical,
    storedBytes: Object.values(stored).reduce((sum, part) => sum + part, 0),
    stored: {
      packageBytes: stored.package,
      stagedBytes: stored.staged,
      rawBytes: stored.raw,
      hubBytes: stored.hub,
      evalSetBytes: stored.evalSet,
      hiddenBytes: stored.hidden,
      pendingDeletionBytes: stored.pendingDeletion,
    },
    compressed: renderCompressed(compressed),
    reservedBytes: reserved,
    transferred: { receivedBytes: received, sentBytes: sent },
  };
}

function renderCompressed({ count, rawBytes, storedBytes }: Usage['compressed']) {
  return {
    checkpointCount: count,
    rawBytes,
    storedBytes,
    ...(storedBytes > 0 && { ratio: Math.round((100 * rawBytes) / storedBytes) / 100 }),
  };
}

export function renderNamespaceUsage({
  namespace,
  quota,
  ...usage
}: NamespaceUsage): z.infer<typeof namespaceUsageSchema> {
  return { namespace, ...renderUsage(usage), ...(quota !== undefined && { quota }) };
}
