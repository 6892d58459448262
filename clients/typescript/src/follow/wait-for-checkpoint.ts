import type { components } from '../firn-api.ts';
import type { Hub } from '../open-hub.ts';
import { findCheckpoint, type CheckpointTarget } from '../push/push-checkpoint.ts';
import { formatTarget } from '../target.ts';
import { followCheckpoint, type CheckpointEvent } from './follow-checkpoint.ts';

/**
 * Waits until a checkpoint is ready, failed or cancelled, and returns it. `onEvent` gets what happens meanwhile. Throws
 * an Error if it is deleted.
 */
export async function waitForCheckpoint(
  hub: Hub,
  target: CheckpointTarget,
  { onEvent, signal }: { readonly onEvent?: (event: CheckpointEvent) => void; readonly signal?: AbortSignal } = {},
): Promise<components['schemas']['CheckpointDetails']> {
  for await (const event of followCheckpoint(hub, target, signal === undefined ? {} : { signal })) onEvent?.(event);
  const found = await findCheckpoint(hub, target);
  if (found === undefined) throw new Error(`${formatTarget(target)} was deleted while it was waited for.`);
  return found;
}
