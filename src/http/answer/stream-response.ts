import { AsyncLocalStorage } from 'node:async_hooks';
import type { UnderlyingSource } from 'node:stream/web';
import type { Context } from 'hono';
import type { AppEnv, HttpLog } from '../app-env.ts';

/** How long a client may leave an answer unread, in ms, before it is cut off and its readers are closed. */
export const answerIdleMs = 120_000;

export interface StreamedAnswer {
  readonly status: 200 | 206;
  /** Content-Length is added from `sizeBytes`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sizeBytes: number;
  /** Yields exactly `sizeBytes` bytes; stops when the signal fires. */
  readonly chunks: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** Replaces `answerIdleMs`. */
  readonly idleMs?: number;
  /** Called exactly once when the answer ends. */
  readonly release?: () => Promise<void>;
  readonly log: HttpLog;
}

/**
 * Streams bytes under back-pressure. It reads the first chunk before it sends the status, so that damage at the start
 * becomes a problem answer and not a broken download. Damage further on cuts the connection before Content-Length,
 * after undamaged bytes only.
 */
export async function streamResponse(c: Context<AppEnv>, answer: StreamedAnswer): Promise<Response> {
  const leaving = new AbortController();
  // The body is pulled outside of the request's async context; this restores it.
  const insideTrace = AsyncLocalStorage.snapshot();
  let iterator: AsyncIterator<Uint8Array> | undefined;
  const finish = once(async () => {
    clearTimeout(idle);
    leaving.abort();
    await iterator?.return?.();
    await answer.release?.();
  });
  const idle = setTimeout(() => c.env?.outgoing?.destroy(), answer.idleMs ?? answerIdleMs);
  const cut = (error: unknown): boolean => {
    answer.log.error({ requestId: c.var.requestId, err: error }, 'a download was cut short');
    c.env?.outgoing?.destroy();
    return c.env?.outgoing !== undefined;
  };
  try {
    const chunks = answer.chunks(leaving.signal)[Symbol.asyncIterator]();
    iterator = {
      next: () => insideTrace(() => chunks.next()),
      return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
    };
    const first = await iterator.next();
    const body = new ReadableStream<Uint8Array>(source({ first, iterator, idle, finish, cut }), { highWaterMark: 0 });
    return c.body(body, answer.status, { ...answer.headers, 'Content-Length': String(answer.sizeBytes) });
  } catch (error) {
    await finish().catch(() => undefined);
    throw error;
  }
}

interface SourceParts {
  readonly first: IteratorResult<Uint8Array>;
  readonly iterator: AsyncIterator<Uint8Array>;
  readonly idle: NodeJS.Timeout;
  readonly finish: () => Promise<void>;
  /** Returns whether there was a connection to cut. */
  readonly cut: (error: unknown) => boolean;
}

function source({ first, iterator, idle, finish, cut }: SourceParts): UnderlyingSource<Uint8Array> {
  let pending: IteratorResult<Uint8Array> | undefined = first;
  let left = false;
  return {
    async pull(controller) {
      try {
        idle.refresh();
        const result = pending ?? (await iterator.next());
        pending = undefined;
        if (result.done !== true) return controller.enqueue(result.value);
        controller.close();
        await finish();
      } catch (error) {
        // The client disconnected while bytes were produced: no failure, and nobody to report it to.
        if (left) return;
        // The connection is gone, so end the stream normally: the framework would print an error.
        if (cut(error)) controller.close();
        else controller.error(error);
        await finish().catch(() => undefined);
      }
    },
    async cancel() {
      left = true;
      await finish().catch(() => undefined);
    },
  };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
