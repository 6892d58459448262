import { createHash } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { IdempotencyRecords, IdempotentAnswer } from '../../catalog/contract/uploads/idempotency-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { AppEnv } from '../app-env.ts';
import { isByteStream } from './body/incoming-body.ts';
import { renderProblem } from '../answer/render-problem.ts';

/** How long an answer is stored for repetition, in ms. */
const idempotencyTtlMs = 24 * 3600 * 1000;
/** Longest Idempotency-Key, in characters. */
export const idempotencyKeyLengthMax = 255;
/** Visible ASCII, so that a key is the same in every log and database. */
export const idempotencyKeyPattern = /^[\x21-\x7e]+$/;
/**
 * Retry-After while the first of two equal requests runs. A request whose gateway was killed blocks for ten minutes.
 */
const runningRetrySeconds = '5';
/** Stored headers of an answer. */
const keptHeaders = ['content-type', 'location'];

/**
 * A POST with an Idempotency-Key takes effect once: while it runs a second one is refused, afterwards its answer is
 * repeated with `Idempotent-Replayed: true`. The key belongs to method, path and body. Only successes are stored: a
 * refused request had no effect, and may succeed when it is sent again. The text of a token is not stored either. Keys
 * of different tokens are independent. `idempotency-conflict`, `invalid-request`.
 */
export function idempotency(records: IdempotencyRecords): MiddlewareHandler<AppEnv> {
  return async function repeatOrRun(c, next) {
    const key = c.req.header('idempotency-key');
    if (key === undefined || c.req.method !== 'POST') return next();
    if (!idempotencyKeyPattern.test(key) || key.length > idempotencyKeyLengthMax) {
      throw new FirnError(
        'invalid-request',
        `The Idempotency-Key must be 1 to ${idempotencyKeyLengthMax} visible ASCII characters.`,
      );
    }
    if (isByteStream(c))
      throw new FirnError(
        'invalid-request',
        'A request with bytes of an upload has no Idempotency-Key: its offset shows whether it was done.',
      );
    const fingerprint = createHash('sha256')
      .update(`${c.req.method}\n${new URL(c.req.url).pathname}\n${await c.req.text()}`)
      .digest('hex');
    // Each principal has its own keys, so that nobody learns the answers to others.
    const ownKey = `${c.var.principal.id} ${key}`;
    const begun = await records.begin(ownKey, fingerprint, idempotencyTtlMs);
    if (begun === 'running')
      return renderProblem(
        c,
        new FirnError('idempotency-conflict', 'A request with this Idempotency-Key is still running.'),
        {
          'Retry-After': runningRetrySeconds,
        },
      );
    if (begun !== 'started') return replay(begun);
    await next();
    if (c.res.ok && c.var.isSecret !== true) await records.finish(ownKey, fingerprint, await recorded(c.res.clone()));
    else await records.abandon(ownKey, fingerprint);
    return undefined;
  };
}

function replay(answer: IdempotentAnswer): Response {
  return new Response(answer.body, {
    status: answer.status,
    headers: { ...answer.headers, 'Idempotent-Replayed': 'true' },
  });
}

async function recorded(res: Response): Promise<IdempotentAnswer> {
  const headers = Object.fromEntries(
    keptHeaders.flatMap((name) => (res.headers.has(name) ? [[name, res.headers.get(name)!]] : [])),
  );
  return { status: res.status, headers, body: await res.text() };
}
