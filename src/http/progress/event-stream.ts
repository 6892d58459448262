import type { Context } from 'hono';
import type { AppEnv, HttpLog } from '../app-env.ts';
import type { CheckpointEvent } from './follow-checkpoint.ts';
import type { CheckpointAddress } from '../answer/resource-paths.ts';
import { renderCheckpoint } from '../schemas/checkpoint/checkpoint.ts';
import { renderTrial } from '../schemas/checkpoint/trial.ts';

export interface EventStreamOptions {
  readonly follow: (signal: AbortSignal) => AsyncIterator<CheckpointEvent>;
  readonly address: CheckpointAddress;
  /** Called exactly once when the stream ends. */
  readonly onEnd: () => void;
  readonly log: HttpLog;
}

/**
 * Server-sent events of a checkpoint. Ends with the events, when the client disconnects, or when the server drains;
 * each end releases everything.
 */
export function eventStream(c: Context<AppEnv>, { follow, address, onEnd, log }: EventStreamOptions): Response {
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };
  if (c.req.method === 'HEAD') {
    onEnd();
    return c.body(null, 200, headers);
  }
  const leaving = new AbortController();
  const { stopping, outgoing } = c.env ?? {};
  const leave = (): void => leaving.abort();
  const events = follow(leaving.signal);
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    leaving.abort();
    // Suspended between two events, the generator releases its resources only this way.
    void Promise.resolve(events.return?.()).catch(() => undefined);
    stopping?.removeEventListener('abort', leave);
    outgoing?.off('close', end);
    onEnd();
  };
  if (stopping?.aborted === true) leaving.abort();
  stopping?.addEventListener('abort', leave);
  // Without this, a silent stream would notice a lost client only at its next event.
  outgoing?.once('close', end);
  const write = createEventWriter(address);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await events.next();
          if (next.done !== true) return controller.enqueue(write(next.value));
        } catch (error) {
          log.error({ requestId: c.var.requestId, err: error }, 'an event stream failed');
        }
        end();
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return c.body(body, 200, headers);
}

/** Writes events one after the other; the id is the number of trials so far. */
export function createEventWriter(address: CheckpointAddress): (event: CheckpointEvent) => Uint8Array {
  const encoder = new TextEncoder();
  let trialCount = 0;
  return (event) => {
    if (event.type === 'quiet') return encoder.encode(': quiet\n\n');
    if (event.type === 'trial') trialCount = event.ordinal;
    const id = trialCount === 0 ? '' : `id: ${trialCount}\n`;
    return encoder.encode(`${id}event: ${event.type}\ndata: ${JSON.stringify(dataOf(event, address))}\n\n`);
  };
}

function dataOf(event: Exclude<CheckpointEvent, { type: 'quiet' }>, address: CheckpointAddress): object {
  switch (event.type) {
    case 'state':
      return renderCheckpoint(event.checkpoint, address, event);
    case 'trial':
      return renderTrial(event.trial);
    case 'phase': {
      const { phase, doneCount, totalCount } = event.note;
      return { phase, ...(doneCount !== undefined && { doneCount }), ...(totalCount !== undefined && { totalCount }) };
    }
  }
}
