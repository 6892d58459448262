import { z } from '@hono/zod-openapi';
import { checkpointStates, packageKinds, type Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { EvalSet } from '../../../catalog/contract/eval-set-records.ts';
import type { CheckpointFile } from '../../../catalog/contract/file-records.ts';
import type { Repository } from '../../../catalog/contract/repository-records.ts';
import type { PackageRecord } from '../../../catalog/contract/storage/package-records.ts';
import { firnErrorCodes } from '../../../checkpoint/firn-error.ts';
import { fileRoles } from '../../../checkpoint/role.ts';
import { resourcePaths, type CheckpointAddress } from '../../answer/resource-paths.ts';
import type { Waiting } from '../../../ingest/checkpoint/what-it-waits-for.ts';
import { renderWaiting, waitingSchema } from './waiting.ts';
import { finalQuality } from '../quantization/final-quality.ts';
import { expectsSchema } from './checkpoint-input.ts';
import { renderResult, resultSchema } from './checkpoint-result.ts';
import { layerTypesSchema } from '../quantization/layer-types.ts';
import { quantizationConfigSchema, renderConfig } from '../quantization/quantization-config.ts';
import { thresholdsSchema } from '../quantization/thresholds.ts';
import {
  checkpointDetailsExample,
  checkpointExample,
  fileReceiptExample,
  queuedExample,
  reservedExample,
} from '../examples/checkpoint-examples.ts';

const fileSchema = z
  .object({
    path: z.string(),
    role: z.enum(fileRoles),
    received: z.boolean(),
    uploaded: z
      .object({ sizeBytes: z.number().int().optional(), sha256: z.string().optional(), href: z.string().optional() })
      .openapi({ description: 'As announced, or as it arrived. `href` is there while the bytes are kept.' }),
    rebuilt: z
      .object({ sizeBytes: z.number().int(), sha256: z.string(), href: z.string() })
      .optional()
      .openapi({ description: 'What a download returns once the checkpoint is ready.' }),
  })
  .openapi('CheckpointFile');

const packageSchema = z
  .object({
    id: z.string(),
    kind: z.enum(packageKinds),
    ancestorId: z.string().optional(),
    sizeBytes: z.number().int(),
    storedBytes: z.number().int(),
    chainLength: z.number().int(),
    mergedPackage: z
      .object({ id: z.string(), position: z.number().int() })
      .optional()
      .openapi({
        description:
          'The package that holds this checkpoint with others of the run, and which of them it is. ' +
          '`sizeBytes` is its size, `storedBytes` this one’s share.',
      }),
    superStep: z
      .object({ id: z.string(), position: z.number().int() })
      .optional()
      .openapi({ deprecated: true, description: 'The same as `mergedPackage`, under its earlier name.' }),
    href: z.string(),
    ancestorHref: z.string().optional(),
  })
  .openapi('PackageSummary');

export const checkpointSchema = z
  .object({
    run: z.string(),
    step: z.number().int(),
    sequence: z.number().int().openapi({ description: 'Order in the run, from 0.' }),
    state: z.enum(checkpointStates),
    revision: z.string().optional().openapi({ description: '40 hex digits, from the commit on.' }),
    config: quantizationConfigSchema.optional().openapi({ description: 'The config given at upload.' }),
    layerTypes: layerTypesSchema.optional().openapi({ description: 'The layer types given at upload.' }),
    expects: expectsSchema.optional(),
    final: finalQuality.optional().openapi({
      description: 'There if it was said to be the last of its run, with what was asked of it.',
    }),
    thresholds: thresholdsSchema
      .optional()
      .openapi({ description: 'Those it is held to, fixed when it was committed or tried again.' }),
    waitsFor: waitingSchema.optional().openapi({
      description: 'Of a checkpoint that is `queued`, in its description, in lists and in its events.',
    }),
    expiresAt: z.iso.datetime().optional().openapi({
      description: 'Of one that is `open`, in its description and in lists: given up then, unless files arrive.',
    }),
    cancelRequested: z.boolean(),
    result: resultSchema.optional(),
    error: z.object({ code: z.enum(firnErrorCodes), message: z.string() }).optional(),
    createdAt: z.iso.datetime(),
    committedAt: z.iso.datetime().optional(),
    finishedAt: z.iso.datetime().optional(),
    href: z.string(),
  })
  .openapi('Checkpoint', { example: checkpointExample });

export const reservedCheckpoint = checkpointSchema
  .extend({
    missing: z.array(z.object({ path: z.string(), href: z.string() })).openapi({
      description: 'Announced files that have not arrived; each is uploaded by a PUT to its `href`.',
    }),
  })
  .openapi('ReservedCheckpoint', { example: reservedExample });

export const fileReceipt = z
  .object({
    path: z.string(),
    role: z.enum(fileRoles),
    sizeBytes: z.number().int(),
    sha256: z.string(),
    href: z.string(),
    checkpoint: checkpointSchema.optional().openapi({ description: 'With `commit=true`: as it was committed.' }),
  })
  .openapi('FileReceipt', { example: fileReceiptExample });

export const checkpointDetails = checkpointSchema
  .extend({
    files: z.array(fileSchema),
    package: packageSchema.optional().openapi({
      description: 'Absent, too, if it builds on a repository that you may not read, such as a private base model.',
    }),
    damaged: z
      .literal(true)
      .optional()
      .openapi({
        description:
          'Stored objects that it needs were found corrupt or missing, and are kept from being read: ' +
          'downloads of `damagedFiles` are refused.',
      }),
    damagedFiles: z
      .array(z.string())
      .optional()
      .openapi({ description: 'Paths of the files that cannot be downloaded, or whose kept upload cannot.' }),
    evalSet: z.string().optional().openapi({
      description: 'Name of the eval set it is measured with, fixed when it was committed or tried again.',
    }),
    links: z.object({
      trials: z.string(),
      events: z.string(),
      retry: z.string().optional().openapi({ description: 'Of a checkpoint that failed: POST there to try it again.' }),
    }),
  })
  .openapi('CheckpointDetails', { example: checkpointDetailsExample });

export const checkpointList = z
  .object({ items: z.array(checkpointSchema), next: z.string().optional() })
  .openapi('CheckpointList', { example: { items: [checkpointExample, queuedExample], next: '1' } });

/** What is known of a checkpoint that is not compressed yet, besides its record. */
export interface Unfinished {
  /** Of one that is queued. */
  readonly waitsFor?: Waiting | undefined;
  /** Of one that is open. */
  readonly expiresAt?: Date | undefined;
}

export function renderCheckpoint(
  checkpoint: Checkpoint,
  address: CheckpointAddress,
  { waitsFor, expiresAt }: Unfinished = {},
) {
  const {
    step,
    sequence,
    state,
    revision,
    fixedConfig,
    layerTypes,
    expects,
    final,
    thresholds,
    cancelRequested,
    result,
    errorCode,
    errorMessage,
  } = checkpoint;
  const { createdAt, committedAt, finishedAt } = checkpoint;
  return {
    run: address.run,
    step,
    sequence,
    state,
    ...(waitsFor !== undefined && { waitsFor: renderWaiting(waitsFor) }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt.toISOString() }),
    cancelRequested,
    ...(revision !== undefined && { revision }),
    ...(fixedConfig !== undefined && { config: renderConfig(fixedConfig) }),
    ...(layerTypes !== undefined && { layerTypes: { ...layerTypes } }),
    ...(expects !== undefined && { expects: { ...expects } }),
    ...(final !== undefined && { final: { ...final } }),
    ...(thresholds !== undefined && { thresholds: { ...thresholds } }),
    ...(result !== undefined && { result: renderResult(result) }),
    ...(errorCode !== undefined && { error: { code: errorCode, message: errorMessage ?? '' } }),
    createdAt: createdAt.toISOString(),
    ...(committedAt !== undefined && { committedAt: committedAt.toISOString() }),
    ...(finishedAt !== undefined && { finishedAt: finishedAt.toISOString() }),
    href: resourcePaths.checkpoint(address),
  } satisfies z.infer<typeof checkpointSchema>;
}

/** A package, and the repository of its ancestor: another one for the first checkpoint of a fine-tune. */
export interface StoredPackage {
  readonly record: PackageRecord;
  readonly ancestorPlace: Repository | undefined;
}

export interface CheckpointParts extends Unfinished {
  readonly checkpoint: Checkpoint;
  readonly files: readonly CheckpointFile[];
  /** Its package, if the reader may know it. */
  readonly stored: StoredPackage | undefined;
  /** Paths of files whose download needs a damaged object. */
  readonly damagedFiles: readonly string[];
  /** The eval set that it is measured with. */
  readonly evalSet: Pick<EvalSet, 'name'> | undefined;
}

export function renderCheckpointDetails(
  { checkpoint, files, stored, damagedFiles, evalSet, ...unfinished }: CheckpointParts,
  address: CheckpointAddress,
) {
  const href = resourcePaths.checkpoint(address);
  return {
    ...renderCheckpoint(checkpoint, address, unfinished),
    files: files.map((file) => renderFile(file, checkpoint.state === 'ready', address)),
    ...(stored !== undefined && { package: renderPackage(stored, address) }),
    ...(damagedFiles.length > 0 && { damaged: true as const, damagedFiles: [...damagedFiles] }),
    ...(evalSet !== undefined && { evalSet: evalSet.name }),
    links: {
      trials: `${href}/trials`,
      events: `${href}/events`,
      ...(checkpoint.state === 'failed' && { retry: resourcePaths.retry(address) }),
    },
  } satisfies z.infer<typeof checkpointDetails>;
}

function renderFile(file: CheckpointFile, ready: boolean, address: CheckpointAddress): z.infer<typeof fileSchema> {
  const href = resourcePaths.file(address, file.path);
  const { resultSha256, resultBytes } = file;
  return {
    path: file.path,
    role: file.role,
    received: file.received,
    uploaded: {
      ...(file.sizeBytes !== undefined && { sizeBytes: file.sizeBytes }),
      ...(file.sha256 !== undefined && { sha256: file.sha256 }),
      ...(file.rawKey !== undefined && { href: `${href}?as=uploaded` }),
    },
    ...(ready &&
      resultSha256 !== undefined &&
      resultBytes !== undefined && { rebuilt: { sizeBytes: resultBytes, sha256: resultSha256, href } }),
  };
}

function renderPackage(
  { record, ancestorPlace }: StoredPackage,
  address: CheckpointAddress,
): z.infer<typeof packageSchema> {
  const { id, kind, ancestorId, sizeBytes, storedBytes, chainLength, mergedPackageId, position } = record;
  return {
    id,
    kind,
    sizeBytes,
    storedBytes,
    chainLength,
    ...(mergedPackageId !== undefined && {
      mergedPackage: { id: mergedPackageId, position },
      superStep: { id: mergedPackageId, position },
    }),
    href: resourcePaths.package(address, id),
    ...(ancestorId !== undefined && {
      ancestorId,
      ancestorHref: resourcePaths.package(ancestorPlace ?? address, ancestorId),
    }),
  };
}
