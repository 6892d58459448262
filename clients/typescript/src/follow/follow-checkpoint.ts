import type { components } from '../firn-api.ts';
import { FirnProblem } from '../firn-problem.ts';
import type { Hub } from '../open-hub.ts';
import type { CheckpointTarget } from '../push/push-checkpoint.ts';
import { checkpointPath } from '../resource-path.ts';
import { withRetries } from '../retry.ts';
import { sendBytes } from '../send-bytes.ts';
import { parseEvents, type ServerEvent } from './parse-events.ts';

/** What happens to a checkpoint. */
export type CheckpointEvent =
  | { readonly type: 'state'; readonly checkpoint: components['schemas']['Checkpoint'] }
  | { readonly type: 'trial'; readonly trial: components['schemas']['Trial'] }
  | { readonly type: 'phase'; readonly phase: string; readonly doneCount?: number; readonly totalCount?: number };

const finalStates: ReadonlySet<string> = new Set(['ready', 'failed', 'cancelled']);
/** Streams in a row that end without an event. */
const emptyStreamsMax = 20;

/**
 * Follows a checkpoint by server-sent events until its state is final. If the connection breaks, it is opened again,
 * and no trial comes twice.
 */
export async function* followCheckpoint(
  hub: Hub,
  checkpoint: CheckpointTarget,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<CheckpointEvent> {
  let lastId: string | undefined;
  for (let empty = 0; empty < emptyStreamsMax; empty++) {
    const stream = await withRetries(() => openStream(hub, checkpoint, lastId, signal), { signal });
    try {
      for await (const event of parseEvents(stream.setEncoding('utf8') as AsyncIterable<string>)) {
        empty = -1;
        lastId = event.id ?? lastId;
        const known = readEvent(event);
        if (known === undefined) continue;
        yield known;
        if (known.type === 'state' && finalStates.has(known.checkpoint.state)) return;
      }
    } catch (error) {
      if (signal?.aborted === true || error instanceof SyntaxError || error instanceof FirnProblem) throw error;
    } finally {
      stream.destroy();
    }
  }
  throw new FirnProblem(503, { detail: 'The server ends the stream of events again and again.' });
}

function openStream(
  hub: Hub,
  checkpoint: CheckpointTarget,
  lastId: string | undefined,
  signal: AbortSignal | undefined,
) {
  const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
  return sendBytes(hub, { method: 'GET', path: `${checkpointPath(checkpoint)}/events`, headers, signal });
}

/** Undefined for an event of a later version. */
function readEvent({ type, data }: ServerEvent): CheckpointEvent | undefined {
  const content = JSON.parse(data) as never;
  if (type === 'state') return { type, checkpoint: content };
  if (type === 'trial') return { type, trial: content };
  return type === 'phase' ? { type, ...(content as { phase: string }) } : undefined;
}
