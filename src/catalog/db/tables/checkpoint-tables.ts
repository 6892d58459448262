import { bigint, boolean, doublePrecision, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { deviceKinds } from '../../../checkpoint/device-kind.ts';
import { fileRoles } from '../../../checkpoint/role.ts';
import type { FinalQuality } from '../../../checkpoint/quality/final-quality.ts';
import type { MetricValues, QualityThresholds } from '../../../checkpoint/quality/quality.ts';
import type { QuantizationConfig } from '../../../checkpoint/options/quantization-config.ts';
import { type CheckpointResult, checkpointStates, packageKinds } from '../../contract/checkpoint-records.ts';
import { estimateStates } from '../../contract/estimate-records.ts';
import { fileStorages } from '../../contract/file-records.ts';
import type { Run } from '../../contract/run-records.ts';
import { bytes, bytesOfResult, createdAt, errorCode, id, time } from './column-kinds.ts';
import { json } from './json-column.ts';

// Checkpoints with all that is known of them, and the packages that hold them.

export const checkpoints = pgTable('checkpoints', {
  id: id(),
  runId: text('run_id').notNull(),
  sequence: integer('sequence').notNull(),
  step: bigint('step', { mode: 'number' }).notNull(),
  revision: text('revision'),
  state: text('state', { enum: checkpointStates }).notNull().default('open'),
  fixedConfig: json<QuantizationConfig>('fixed_config'),
  result: json<CheckpointResult>('result'),
  errorCode: errorCode(),
  errorMessage: text('error_message'),
  packageId: text('package_id'),
  cancelRequested: boolean('cancel_requested').notNull().default(false),
  deletedAt: time('deleted_at'),
  createdAt: createdAt(),
  touchedAt: time('touched_at').notNull().defaultNow(),
  committedAt: time('committed_at'),
  finishedAt: time('finished_at'),
  layerTypes: json<Run['layerTypes']>('layer_types'),
  evalSetId: text('eval_set_id'),
  thresholds: json<Run['thresholds']>('thresholds'),
  expects: json<MetricValues>('expects'),
  final: json<FinalQuality>('final'),
  rawBytes: bytesOfResult('raw_bytes', 'rawBytes'),
  storedBytes: bytesOfResult('stored_bytes', 'storedBytes'),
});

export const checkpointFiles = pgTable('checkpoint_files', {
  id: id(),
  checkpointId: text('checkpoint_id').notNull(),
  path: text('path').notNull(),
  role: text('role', { enum: fileRoles }).notNull(),
  sizeBytes: bytes('size_bytes'),
  sha256: text('sha256'),
  gitSha1: text('git_sha1'),
  rawKey: text('raw_key'),
  rawStoredBytes: bytes('raw_stored_bytes'),
  received: boolean('received').notNull().default(false),
  storage: text('storage', { enum: fileStorages }),
  resultSha256: text('result_sha256'),
  resultBytes: bytes('result_bytes'),
  originId: text('origin_id'),
});

export const packages = pgTable('packages', {
  id: text('id').primaryKey(),
  checkpointId: text('checkpoint_id').notNull(),
  key: text('key').notNull(),
  sizeBytes: bytes('size_bytes').notNull(),
  storedBytes: bytes('stored_bytes').notNull(),
  indexOffsetBytes: bytes('index_offset_bytes').notNull(),
  indexLengthBytes: bytes('index_length_bytes').notNull(),
  kind: text('kind', { enum: packageKinds }).notNull(),
  ancestorId: text('ancestor_id'),
  chainLength: integer('chain_length').notNull(),
  createdAt: createdAt(),
  mergedPackageId: text('merged_package_id'),
  position: integer('position').notNull().default(0),
  mergeTried: boolean('merge_tried').notNull().default(false),
  roomTried: boolean('room_tried').notNull().default(false),
});

export const trials = pgTable(
  'trials',
  {
    checkpointId: text('checkpoint_id').notNull(),
    configKey: text('config_key').notNull(),
    config: json<QuantizationConfig>('config').notNull(),
    ordinal: integer('ordinal').notNull(),
    search: integer('search').notNull().default(1),
    estimatedBytes: doublePrecision('estimated_bytes').notNull(),
    metrics: json<MetricValues>('metrics').notNull(),
    halves: json<readonly MetricValues[]>('halves'),
    degradation: json<MetricValues>('degradation').notNull(),
    standardError: json<MetricValues>('standard_error'),
    observed: json<MetricValues>('observed'),
    passed: boolean('passed').notNull(),
    seconds: doublePrecision('seconds').notNull(),
    createdAt: createdAt(),
    device: text('device', { enum: deviceKinds }).notNull().default('cpu'),
  },
  (table) => [primaryKey({ columns: [table.checkpointId, table.configKey] })],
);

export const estimates = pgTable('estimates', {
  checkpointId: text('checkpoint_id').primaryKey(),
  thresholds: json<QualityThresholds>('thresholds').notNull(),
  state: text('state', { enum: estimateStates }).notNull(),
  result: json<CheckpointResult>('result'),
  errorCode: errorCode(),
  errorMessage: text('error_message'),
  createdAt: createdAt(),
  finishedAt: time('finished_at'),
});
