import { bigint, boolean, date, doublePrecision, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { fidelities, fileRoles } from '../../checkpoint/role.ts';
import type { FinalQuality } from '../../checkpoint/quality/final-quality.ts';
import type { MetricValues, QualityThresholds } from '../../checkpoint/quality/quality.ts';
import type { QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import { checkpointStates, packageKinds, type CheckpointResult } from '../contract/checkpoint-records.ts';
import { estimateStates } from '../contract/estimate-records.ts';
import { evalSetParts, evalSetStates, type EvalSet } from '../contract/eval-set-records.ts';
import { fileStorages } from '../contract/file-records.ts';
import type { IdempotentAnswer } from '../contract/uploads/idempotency-records.ts';
import { jobStates } from '../contract/work/job-records.ts';
import { repositoryTypes, visibilities, type HubSettings } from '../contract/repository-records.ts';
import type { Run, RunLayout } from '../contract/run-records.ts';
import { deletionReasons } from '../contract/storage/garbage-records.ts';
import { damageKinds } from '../contract/storage/integrity-records.ts';
import { refKinds, type TreeEntry } from '../contract/hub/revision-records.ts';
import type { XorbChunk } from '../contract/hub/xorb-records.ts';
import { bytes, bytesOfResult, createdAt, errorCode, id, time } from './column-kinds.ts';
import { json } from './json-column.ts';

export { webhookDeliveries, webhooks } from './webhook-tables.ts';
import type { TokenRecord } from '../contract/token-records.ts';

/**
 * The columns for queries. migrations/*.sql define keys, checks and indexes; schema.test.ts compares the two column by
 * column.
 */
export const repositories = pgTable('repositories', {
  id: id(),
  namespace: text('namespace').notNull(),
  name: text('name').notNull(),
  type: text('type', { enum: repositoryTypes }).notNull(),
  createdAt: createdAt(),
  visibility: text('visibility', { enum: visibilities }).notNull().default('private'),
  hubSettings: json<HubSettings>('hub_settings'),
  deletedAt: time('deleted_at'),
});

export const evalSets = pgTable('eval_sets', {
  id: id(),
  repositoryId: text('repository_id').notNull(),
  name: text('name').notNull(),
  state: text('state', { enum: evalSetStates }).notNull().default('open'),
  spec: json<EvalSet['spec']>('spec').notNull(),
  graphKey: text('graph_key'),
  graphSha256: text('graph_sha256'),
  graphBytes: bytes('graph_bytes'),
  graphStoredBytes: bytes('graph_stored_bytes'),
  batchesKey: text('batches_key'),
  batchesSha256: text('batches_sha256'),
  batchesBytes: bytes('batches_bytes'),
  batchesStoredBytes: bytes('batches_stored_bytes'),
  errorCode: errorCode(),
  errorMessage: text('error_message'),
  createdAt: createdAt(),
});

export const runs = pgTable('runs', {
  id: id(),
  repositoryId: text('repository_id').notNull(),
  name: text('name').notNull(),
  fidelity: text('fidelity', { enum: fidelities }).notNull(),
  evalSetId: text('eval_set_id'),
  thresholds: json<Run['thresholds']>('thresholds').notNull(),
  search: json<Run['search']>('search').notNull(),
  seed: text('seed').notNull(),
  parentCheckpointId: text('parent_checkpoint_id'),
  layerTypes: json<Run['layerTypes']>('layer_types').notNull(),
  binding: json<NonNullable<Run['binding']>>('binding'),
  layout: json<RunLayout>('layout'),
  nextSequence: integer('next_sequence').notNull().default(0),
  createdAt: createdAt(),
  deletedAt: time('deleted_at'),
  state: json<NonNullable<Run['state']>>('state'),
  bindingEvalSetId: text('binding_eval_set_id'),
  closedAt: time('closed_at'),
});

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
});

export const pendingDeletions = pgTable('pending_deletions', {
  key: text('key').primaryKey(),
  pendingSince: time('pending_since').notNull().defaultNow(),
  storedBytes: bytes('stored_bytes'),
  repositoryId: text('repository_id'),
  reason: text('reason', { enum: deletionReasons }).notNull().default('merged'),
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

export const jobs = pgTable('jobs', {
  id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  kind: text('kind').notNull(),
  subjectId: text('subject_id').notNull(),
  state: text('state', { enum: jobStates }).notNull(),
  orderKey: text('order_key'),
  orderSequence: bigint('order_sequence', { mode: 'number' }),
  runAt: time('run_at').notNull().defaultNow(),
  attempts: integer('attempts').notNull().default(0),
  attemptsMax: integer('attempts_max').notNull(),
  leasesLost: integer('leases_lost').notNull().default(0),
  leasesLostMax: integer('leases_lost_max').notNull(),
  fence: integer('fence').notNull().default(0),
  lockedBy: text('locked_by'),
  leaseUntil: time('lease_until'),
  lastError: text('last_error'),
  cancelRequested: boolean('cancel_requested').notNull().default(false),
  traceparent: text('traceparent'),
  createdAt: createdAt(),
  finishedAt: time('finished_at'),
});

export const bodyReservations = pgTable('body_reservations', {
  id: text('id').primaryKey(),
  runId: text('run_id'),
  checkpointId: text('checkpoint_id'),
  evalSetId: text('eval_set_id'),
  repositoryId: text('repository_id'),
  sizeBytes: bytes('size_bytes').notNull(),
  expiresAt: time('expires_at').notNull(),
});

export const uploads = pgTable('uploads', {
  id: id(),
  repositoryId: text('repository_id').notNull(),
  checkpointId: text('checkpoint_id'),
  path: text('path'),
  role: text('role', { enum: fileRoles }),
  evalSetId: text('eval_set_id'),
  part: text('part', { enum: evalSetParts }),
  sizeBytes: bytes('size_bytes').notNull(),
  sha256: text('sha256'),
  partBytes: bytes('part_bytes'),
  metadata: text('metadata'),
  receivedBytes: bytes('received_bytes').notNull().default(0),
  pieceCount: integer('piece_count').notNull().default(0),
  isComplete: boolean('is_complete').notNull().default(false),
  writer: text('writer'),
  finishingUntil: time('finishing_until'),
  expiresAt: time('expires_at').notNull(),
  createdAt: createdAt(),
});

export const uploadPieces = pgTable(
  'upload_pieces',
  {
    uploadId: text('upload_id').notNull(),
    offsetBytes: bytes('offset_bytes').notNull(),
    sizeBytes: bytes('size_bytes').notNull(),
    storedBytes: bytes('stored_bytes').notNull(),
    key: text('key').notNull(),
    sha256: text('sha256'),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.offsetBytes] })],
);

export const chores = pgTable('chores', {
  name: text('name').primaryKey(),
  begunAt: time('begun_at').notNull(),
});

export const processes = pgTable('processes', {
  id: text('id').primaryKey(),
  gateway: boolean('gateway').notNull(),
  worker: boolean('worker').notNull(),
  version: text('version').notNull(),
  startedAt: time('started_at').notNull(),
  seenAt: time('seen_at').notNull(),
});

export const idempotency = pgTable('idempotency', {
  key: text('key').primaryKey(),
  fingerprint: text('fingerprint').notNull(),
  status: integer('status'),
  headers: json<IdempotentAnswer['headers']>('headers'),
  body: text('body'),
  ttlMs: bigint('ttl_ms', { mode: 'number' }).notNull(),
  expiresAt: time('expires_at').notNull(),
});

export const tokens = pgTable('tokens', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  secretSha256: text('secret_sha256').notNull(),
  grants: json<TokenRecord['grants']>('grants').notNull(),
  isFirst: boolean('is_first').notNull().default(false),
  createdAt: createdAt(),
  expiresAt: time('expires_at'),
  revokedAt: time('revoked_at'),
});

export const damagedObjects = pgTable('damaged_objects', {
  key: text('key').primaryKey(),
  what: text('what', { enum: damageKinds }).notNull(),
  detail: text('detail').notNull(),
  foundAt: time('found_at').notNull().defaultNow(),
});

export const scrubRounds = pgTable('scrub_rounds', {
  name: text('name').primaryKey(),
  begunAt: time('begun_at').notNull(),
  endedAt: time('ended_at'),
  afterKey: text('after_key').notNull(),
  objects: bigint('objects', { mode: 'number' }).notNull(),
  bytes: bytes('bytes').notNull(),
});

export const namespaceQuotas = pgTable('namespace_quotas', {
  namespace: text('namespace').primaryKey(),
  storedBytesMax: bytes('stored_bytes_max').notNull(),
});

export const transfers = pgTable(
  'transfers',
  {
    repositoryId: text('repository_id').notNull(),
    day: date('day').notNull(),
    receivedBytes: bytes('received_bytes').notNull(),
    sentBytes: bytes('sent_bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.day] })],
);

export const hubBlobs = pgTable(
  'hub_blobs',
  {
    repositoryId: text('repository_id').notNull(),
    sha256: text('sha256').notNull(),
    sizeBytes: bytes('size_bytes').notNull(),
    rawKey: text('raw_key'),
    rawStoredBytes: bytes('raw_stored_bytes'),
    fileId: text('file_id'),
    releasedKey: text('released_key'),
    isCommitted: boolean('is_committed').notNull().default(false),
    touchedAt: time('touched_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.sha256] })],
);

export const hubTrees = pgTable(
  'hub_trees',
  {
    repositoryId: text('repository_id').notNull(),
    id: text('id').notNull(),
    entries: json<readonly TreeEntry[]>('entries').notNull(),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.id] })],
);

export const hubCommits = pgTable(
  'hub_commits',
  {
    repositoryId: text('repository_id').notNull(),
    id: text('id').notNull(),
    treeId: text('tree_id').notNull(),
    parentId: text('parent_id'),
    title: text('title').notNull(),
    message: text('message').notNull(),
    author: text('author').notNull(),
    createdAt: time('created_at').notNull(),
    requestSha256: text('request_sha256'),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.id] })],
);

export const hubRefs = pgTable(
  'hub_refs',
  {
    repositoryId: text('repository_id').notNull(),
    kind: text('kind', { enum: refKinds }).notNull(),
    name: text('name').notNull(),
    commitId: text('commit_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.kind, table.name] })],
);

export const hubXorbs = pgTable(
  'hub_xorbs',
  {
    repositoryId: text('repository_id').notNull(),
    hash: text('hash').notNull(),
    key: text('key').notNull(),
    sizeBytes: bytes('size_bytes').notNull(),
    storedBytes: bytes('stored_bytes').notNull(),
    chunks: json<readonly XorbChunk[]>('chunks').notNull(),
    touchedAt: time('touched_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.hash] })],
);

export const hubKeys = pgTable('hub_keys', { id: integer('id').primaryKey(), secret: text('secret').notNull() });

export const hubCheckpoints = pgTable('hub_checkpoints', {
  checkpointId: text('checkpoint_id').primaryKey(),
  repositoryId: text('repository_id').notNull(),
  commitId: text('commit_id').notNull(),
  branch: text('branch').notNull(),
  folder: text('folder').notNull(),
  publishedId: text('published_id'),
});

export const hubParts = pgTable(
  'hub_parts',
  {
    repositoryId: text('repository_id').notNull(),
    sha256: text('sha256').notNull(),
    number: integer('number').notNull(),
    key: text('key').notNull(),
    sizeBytes: bytes('size_bytes').notNull(),
    storedBytes: bytes('stored_bytes').notNull(),
    touchedAt: time('touched_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.sha256, table.number] })],
);
