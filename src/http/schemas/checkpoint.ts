import { z } from '@hono/zod-openapi';
import { checkpointStates, packageKinds, type Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { PackageRecord } from '../../catalog/contract/storage/package-records.ts';
import type { Trial } from '../../catalog/contract/trial-records.ts';
import { metricCountMax } from '../../checkpoint/quality/eval-set-spec.ts';
import { firnErrorCodes } from '../../checkpoint/firn-error.ts';
import { fileRoles } from '../../checkpoint/role.ts';
import { resourcePaths, type CheckpointAddress } from '../answer/resource-paths.ts';
import type { Waiting } from '../../ingest/checkpoint/what-it-waits-for.ts';
import { renderWaiting, waitingSchema } from './waiting.ts';
import { finalInput, finalQuality } from './quantization/final-quality.ts';
import { metricValues, renderResult, resultSchema } from './checkpoint-result.ts';
import { layerTypesSchema } from './quantization/layer-types.ts';
import { filePathSchema, sha256Schema, stepSchema } from './parameters.ts';
import { quantizationConfigInput, quantizationConfigSchema, renderConfig } from './quantization/quantization-config.ts';
import { evaluationChange, thresholdsSchema } from './quantization/thresholds.ts';
import {
  checkpointDetailsExample,
  checkpointExample,
  fileReceiptExample,
  queuedExample,
  reservedExample,
  trialExample,
} from './examples/checkpoint-examples.ts';

/** Most files announced at once. */
const announcedFilesMax = 10_000;

const expectsSchema = z
  .record(z.string(), z.number())
  .refine((expects) => Object.keys(expects).length <= metricCountMax, `must name at most ${metricCountMax} metrics`)
  .openapi({
    description:
      'What the training job measured, by the names of metrics of the eval set of the run. Where Firn ' +
      'measures something else of the uploaded checkpoint (`search.expectsWithin` of the run), it is ' +
      'stored exact, ' +
      'with both figures in the reason: then eval set and training do not measure the same.',
    example: { loss: 1.8604 },
  });

/** A query parameter that contains JSON. */
const jsonText = z.string().transform((text, ctx) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    ctx.addIssue('must be a JSON object');
    return z.NEVER;
  }
});

const base64Schema = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .openapi({ type: 'string', format: 'byte' });

export const checkpointInput = z
  .strictObject({
    step: stepSchema,
    files: z
      .array(
        z.strictObject({
          path: filePathSchema,
          role: z.enum(fileRoles).optional().openapi({ description: 'By default taken from the name of the file.' }),
          sizeBytes: z.number().int().min(0).optional(),
          sha256: sha256Schema.optional(),
          content: base64Schema.optional().openapi({
            description: 'The bytes of a small file in base64; then it need not be uploaded.',
            example: 'eyJhIjoxfQ==',
          }),
        }),
      )
      .max(announcedFilesMax)
      .optional()
      .openapi({ description: 'Files that must arrive before the commit. Others may be added.' }),
    commit: z.boolean().optional().openapi({
      description: 'Commit it with this call: every file has its `content` here or has arrived before.',
    }),
    config: quantizationConfigInput.optional().openapi({ description: 'Use this config instead of a search.' }),
    layerTypes: layerTypesSchema.optional().openapi({
      description: 'Tensor to layer type for this checkpoint; each entry wins over that of the run.',
      example: { 'head.weight': 'embedding' },
    }),
    expects: expectsSchema.optional(),
    final: finalInput.optional(),
  })
  .openapi('CheckpointInput', {
    example: { step: 1000, files: [{ path: 'model.safetensors' }, { path: 'model.grad.safetensors' }] },
  });

/** Query of a checkpoint pushed in one request, whose body is the file. */
export const pushQuery = z.object({
  layerTypes: jsonText.pipe(layerTypesSchema).optional().openapi({
    type: 'string',
    description: 'A JSON object, tensor to layer type, for this checkpoint; each entry wins over that of the run.',
    example: '{"head.weight":"embedding"}',
  }),
  expects: jsonText.pipe(expectsSchema).optional().openapi({
    type: 'string',
    description: 'A JSON object, metric to what the training job measured; as `expects` of a reservation.',
    example: '{"loss":1.8604}',
  }),
  final: jsonText.pipe(finalInput).optional().openapi({
    type: 'string',
    description: '`true`, or a JSON object; as `final` of a reservation.',
    example: '{"exact":true}',
  }),
});

/** Input of a retry of a failed checkpoint. */
export const retryInput = z.strictObject(evaluationChange).openapi('RetryInput', {
  description: 'What it is measured with this time. By default what the run has now.',
  example: { evalSet: 'held-out-2' },
});

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

export const trialSchema = z
  .object({
    number: z
      .number()
      .int()
      .openapi({ description: 'Order of evaluation over all searches of the checkpoint, from 1, as people count.' }),
    ordinal: z
      .number()
      .int()
      .openapi({ description: '`number` less one, for programs that read it.', deprecated: true }),
    search: z.number().int().openapi({
      description: 'Which search of the checkpoint, from 1: it is searched again when another ancestor may cost less.',
    }),
    config: quantizationConfigSchema,
    estimatedBytes: z.number(),
    metrics: metricValues,
    halves: z
      .array(metricValues)
      .optional()
      .openapi({ description: 'Metrics of each half of the eval set, where both must pass.' }),
    degradation: metricValues,
    standardError: metricValues.optional().openapi({
      description: 'Standard error of each degradation over examples, where the run asks for it.',
    }),
    observed: metricValues.optional().openapi({
      description: "Divergences from the uploaded model's outputs that the run bounds, by metric.",
    }),
    passed: z.boolean(),
    seconds: z.number(),
  })
  .openapi('Trial', { example: trialExample });

export const trialList = z
  .object({ items: z.array(trialSchema) })
  .openapi('TrialList', { example: { items: [trialExample] } });

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

export function renderTrial(trial: Trial) {
  const {
    ordinal,
    search,
    config,
    estimatedBytes,
    metrics,
    halves,
    degradation,
    standardError,
    observed,
    passed,
    seconds,
  } = trial;
  return {
    number: ordinal + 1,
    ordinal,
    search,
    config: renderConfig(config),
    estimatedBytes,
    metrics: { ...metrics },
    ...(halves !== undefined && { halves: halves.map((half) => ({ ...half })) }),
    degradation: { ...degradation },
    ...(standardError !== undefined && { standardError: { ...standardError } }),
    ...(observed !== undefined && { observed: { ...observed } }),
    passed,
    seconds,
  } satisfies z.infer<typeof trialSchema>;
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
