import { bigint, boolean, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { deliveryStates, type Delivery } from '../../contract/webhooks/delivery-records.ts';
import type { Webhook } from '../../contract/webhooks/webhook-records.ts';
import { createdAt, id, time } from './column-kinds.ts';
import { json } from './json-column.ts';

export const webhooks = pgTable('webhooks', {
  id: id(),
  namespace: text('namespace').notNull(),
  repositoryId: text('repository_id'),
  url: text('url').notNull(),
  secret: text('secret').notNull(),
  events: json<Webhook['events']>('events').notNull(),
  active: boolean('active').notNull().default(true),
  createdAt: createdAt(),
});

export const webhookDeliveries = pgTable('webhook_deliveries', {
  id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  webhookId: text('webhook_id').notNull(),
  event: text('event').$type<Delivery['event']>().notNull(),
  body: text('body').notNull(),
  state: text('state', { enum: deliveryStates }).notNull().default('pending'),
  attempts: integer('attempts').notNull().default(0),
  nextAt: time('next_at').notNull().defaultNow(),
  status: integer('status'),
  error: text('error'),
  createdAt: createdAt(),
  finishedAt: time('finished_at'),
});
