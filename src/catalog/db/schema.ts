/**
 * The columns for queries. migrations/*.sql define keys, checks and indexes; schema.test.ts compares the two column by
 * column.
 */
export * from './tables/checkpoint-tables.ts';
export * from './tables/hub-tables.ts';
export * from './tables/repository-tables.ts';
export * from './tables/storage-tables.ts';
export * from './tables/webhook-tables.ts';
export * from './tables/work-tables.ts';
