import { boolean, date, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { defaultDeviceWish, deviceWishes } from '../../../checkpoint/options/device-wish.ts';
import { fidelities } from '../../../checkpoint/role.ts';
import { type EvalSet, evalSetStates } from '../../contract/eval-set-records.ts';
import { type HubSettings, repositoryTypes, visibilities } from '../../contract/repository-records.ts';
import type { Run, RunLayout } from '../../contract/run-records.ts';
import { bytes, createdAt, errorCode, id, time } from './column-kinds.ts';
import { json } from './json-column.ts';
import type { TokenRecord } from '../../contract/token-records.ts';

// What belongs to repositories as wholes: eval sets, runs, tokens, quotas and transferred bytes.

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
  device: text('device', { enum: deviceWishes }).notNull().default(defaultDeviceWish),
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
