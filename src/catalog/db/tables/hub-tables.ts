import { boolean, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { refKinds, type TreeEntry } from '../../contract/hub/revision-records.ts';
import type { XorbChunk } from '../../contract/hub/xorb-records.ts';
import { bytes, time } from './column-kinds.ts';
import { json } from './json-column.ts';

// Branches, tags, commits, trees and contents of repositories as hub clients see them.

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
