import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { publicLookup, refusePrivateHost } from './public-address.ts';

/** Most bytes of an answer that are read; nothing is kept of them. */
const answerBytesMax = 64 * 1024;

export interface Receiver {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface SendOptions {
  /** Whether addresses of private networks are allowed. */
  readonly toPrivate: boolean;
  /** Time for the whole exchange, in ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** The Retry-After field in ms, if it gives seconds. */
  readonly retryAfterMs?: number;
}

/**
 * Posts a JSON text, on a connection of its own. Redirects are not followed. Rejects with `PrivateAddress`, with an
 * error that says what went wrong with the connection, or with the reason of the signal.
 */
export async function sendMessage(
  { url, headers }: Receiver,
  body: string,
  { toPrivate, timeoutMs, signal }: SendOptions,
): Promise<Answer> {
  const target = new URL(url);
  if (!toPrivate) refusePrivateHost(target);
  const bytes = Buffer.from(body);
  const late = AbortSignal.timeout(timeoutMs);
  const begin = target.protocol === 'https:' ? requestHttps : requestHttp;
  const request = begin(target, {
    method: 'POST',
    agent: false,
    signal: AbortSignal.any([signal, late]),
    headers: {
      'content-type': 'application/json',
      'content-length': bytes.byteLength,
      'user-agent': 'firn-webhooks',
      ...headers,
    },
    ...(!toPrivate && { lookup: publicLookup() }),
  });
  try {
    request.end(bytes);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await drain(response);
    return { status: response.statusCode ?? 0, ...retryAfter(response) };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new Error(`The receiver took longer than ${timeoutMs / 1000} s.`, { cause: error });
    throw error;
  } finally {
    // What follows is nobody's concern any more, and must not be an unhandled event.
    request.on('error', () => undefined).destroy();
  }
}

/** Reads an answer to its end, or until it is too long. */
async function drain(response: IncomingMessage): Promise<void> {
  let left = answerBytesMax;
  for await (const chunk of response) if ((left -= (chunk as Buffer).byteLength) < 0) return;
}

function retryAfter({ headers }: IncomingMessage): { readonly retryAfterMs?: number } {
  const text = headers['retry-after'];
  return text !== undefined && /^\d{1,7}$/.test(text) ? { retryAfterMs: Number(text) * 1000 } : {};
}
