import { and, eq, isNull, or, sql } from 'drizzle-orm';
import type { WebhookEvent } from '../../../checkpoint/webhook-events.ts';
import type { Checkpoint, CheckpointResult } from '../../contract/checkpoint-records.ts';
import type { CheckpointName } from '../../contract/storage/integrity-records.ts';
import type { Db } from '../../db/database.ts';
import { encodeJson } from '../../db/tables/json-column.ts';
import { repositories, runs, webhookDeliveries, webhooks } from '../../db/schema.ts';

/** Most checkpoints that one message about damage names; it has their number, too. */
const namedMax = 100;

/** A message as it is sent, in the form of the Standard Webhooks specification ("Payload structure"). */
interface Message {
  readonly type: WebhookEvent;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Writes the messages for a checkpoint that became ready or failed. In the transaction in which it did. */
export async function announceCheckpoint(tx: Db, checkpoint: Checkpoint, as: 'ready' | 'failed'): Promise<void> {
  const [place] = await tx.query
    .select({
      repositoryId: repositories.id,
      namespace: repositories.namespace,
      name: repositories.name,
      run: runs.name,
    })
    .from(runs)
    .innerJoin(repositories, eq(repositories.id, runs.repositoryId))
    .where(and(eq(runs.id, checkpoint.runId), isNull(repositories.deletedAt)));
  if (place === undefined || checkpoint.deletedAt !== undefined) return;
  const { step, revision, result, errorCode, errorMessage } = checkpoint;
  await write(tx, place, {
    type: `checkpoint.${as}`,
    data: {
      repository: `${place.namespace}/${place.name}`,
      run: place.run,
      step,
      ...(revision !== undefined && { revision }),
      ...(as === 'ready' && result && outcomeOf(result)),
      ...(as === 'failed' && { error: { code: errorCode, message: errorMessage } }),
    },
  });
}

/** What people want to read of a result; the API has the rest. */
function outcomeOf({ fidelity, kind, rawBytes, storedBytes, degradation, warnings }: CheckpointResult) {
  return { fidelity, kind, rawBytes, storedBytes, ...(degradation && { degradation }), warnings };
}

/** Writes the messages for a damaged object: one for each repository, with the checkpoints that need it. */
export async function announceDamage(tx: Db, affected: readonly CheckpointName[]): Promise<void> {
  const byRepository = new Map<string, CheckpointName[]>();
  for (const name of affected) {
    const repository = `${name.namespace}/${name.repository}`;
    byRepository.set(repository, [...(byRepository.get(repository) ?? []), name]);
  }
  for (const [repository, names] of byRepository) {
    const { namespace, repository: name } = names[0]!;
    const [place] = await tx.query
      .select({ repositoryId: repositories.id, namespace: repositories.namespace })
      .from(repositories)
      .where(and(eq(repositories.namespace, namespace), eq(repositories.name, name), isNull(repositories.deletedAt)));
    if (place === undefined) continue;
    await write(tx, place, {
      type: 'checkpoint.damaged',
      data: {
        repository,
        checkpoints: names.slice(0, namedMax).map(({ run, step }) => ({ run, step })),
        count: names.length,
      },
    });
  }
}

/** The message, once for each active webhook of the place that wants it. */
async function write(
  tx: Db,
  place: { readonly namespace: string; readonly repositoryId: string },
  { type, data }: Message,
): Promise<void> {
  const wanting = await tx.query
    .select({ webhookId: webhooks.id, now: sql<string>`(extract(epoch from now()) * 1000)::bigint::text` })
    .from(webhooks)
    .where(
      and(
        eq(webhooks.namespace, place.namespace),
        or(isNull(webhooks.repositoryId), eq(webhooks.repositoryId, place.repositoryId)),
        webhooks.active,
        sql`${webhooks.events} @> ${encodeJson([type])}::jsonb`,
      ),
    );
  if (wanting.length === 0) return;
  const timestamp = new Date(Number(wanting[0]!.now)).toISOString();
  const body = JSON.stringify({ type, timestamp, data });
  await tx.query.insert(webhookDeliveries).values(wanting.map(({ webhookId }) => ({ webhookId, event: type, body })));
}
