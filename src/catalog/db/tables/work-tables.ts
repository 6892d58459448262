import { bigint, boolean, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { deviceKinds } from '../../../checkpoint/device-kind.ts';
import { deviceWishes } from '../../../checkpoint/options/device-wish.ts';
import { fileRoles } from '../../../checkpoint/role.ts';
import { evalSetParts } from '../../contract/eval-set-records.ts';
import type { IdempotentAnswer } from '../../contract/uploads/idempotency-records.ts';
import { jobStates } from '../../contract/work/job-records.ts';
import { bytes, createdAt, id, time } from './column-kinds.ts';
import { json } from './json-column.ts';

// What is under way: jobs, uploads, processes and answers that may be asked for again.

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
  device: text('device', { enum: deviceWishes }).notNull().default('none'),
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
  device: text('device', { enum: deviceKinds }).notNull().default('cpu'),
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
