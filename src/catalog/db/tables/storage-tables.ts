import { bigint, pgTable, text } from 'drizzle-orm/pg-core';
import { deletionReasons } from '../../contract/storage/garbage-records.ts';
import { damageKinds } from '../../contract/storage/integrity-records.ts';
import { bytes, time } from './column-kinds.ts';

// Stored objects: those to be deleted, those found damaged, and how far a scrub has read.

export const pendingDeletions = pgTable('pending_deletions', {
  key: text('key').primaryKey(),
  pendingSince: time('pending_since').notNull().defaultNow(),
  storedBytes: bytes('stored_bytes'),
  repositoryId: text('repository_id'),
  reason: text('reason', { enum: deletionReasons }).notNull().default('merged'),
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
