import type { Context } from 'hono';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { xetAddressMs } from '../../hub/upload/expire-hub-files.ts';
import { parseXetHash } from '../../xet/xet-hash.ts';
import { shardBytesMax } from '../../xet/xet-limits.ts';
import { problemKinds } from '../answer/problem-status.ts';
import { publicSentence, toFirnError } from '../answer/render-problem.ts';
import type { AppEnv } from '../app-env.ts';
import type { HubGateway } from './hub-gateway.ts';
import { readUpload } from '../request/body/read-upload.ts';
import { locateById, locateRepository, originOf, readBytes } from './hub-request.ts';
import type { HubPath, HubRepositoryName } from './parse-hub-path.ts';

/** How long a client uses an answer before it asks again, in seconds. The token in it is the client's own. */
const tokenTtlSeconds = 3600;
/** Sent as a token where there are none. */
const noToken = 'none';
/** Pause between two lines of an answer whose work takes long, in ms; clients give up after some silence. */
const heartbeatMs = 5_000;

/**
 * Where chunks go. A client remembers for three weeks which chunks it sent to an address, and names them instead of
 * sending them again. So the address has the repository's id, which no other repository gets, and the day: chunks are
 * kept for `xorbTtlMs`, which is longer. The token is the one that the client has.
 */
export async function xetWriteToken(
  c: Context<AppEnv>,
  gateway: HubGateway,
  name: HubRepositoryName,
): Promise<Response> {
  const repository = await locateRepository(gateway, c, name, 'write');
  const accessToken = c.req.header('authorization')?.replace(/^bearer +/i, '') ?? noToken;
  const nowMs = (await gateway.catalog.now()).getTime();
  const exp = Math.floor(nowMs / 1000) + tokenTtlSeconds;
  const day = Math.floor(nowMs / xetAddressMs);
  const casUrl = `${originOf(c, gateway.admittance.trustProxy)}/hub/xet/${repository.id}/${day}`;
  return c.json({ accessToken, exp, casUrl }, 200, {
    'X-Xet-Cas-Url': casUrl,
    'X-Xet-Access-Token': accessToken,
    'X-Xet-Token-Expiration': String(exp),
    'Cache-Control': 'no-store',
  });
}

/** Chunks, xorbs and shards: the part of the Xet protocol that uploads need. */
export async function answerXet(
  c: Context<AppEnv>,
  gateway: HubGateway,
  { repositoryId, rest }: Extract<HubPath, { at: 'xet' }>,
): Promise<Response> {
  const repository = await locateById(gateway, c, repositoryId, 'write');
  const [_day, version, kind, _prefix, hash = ''] = rest;
  const asked = `${c.req.method} ${version}/${kind}`;
  if (asked === 'GET v1/chunks')
    // Whether any other repository has a chunk is never revealed; within one, clients remember what they sent.
    throw new FirnError('not-found', 'This chunk is not known here.');
  if (asked === 'POST v1/xorbs') {
    const inserted = await gateway.hub.receiveXorb(repository, parseXetHash(hash), readUpload(c, gateway.bodyPace));
    return c.json({ was_inserted: inserted });
  }
  if (asked === 'POST v1/shards') {
    await gateway.hub.receiveShard(repository, await readBytes(c, gateway, shardBytesMax), {
      signal: c.req.raw.signal,
    });
    return c.json({ result: 1 });
  }
  if (asked === 'POST v2/shards') {
    const bytes = await readBytes(c, gateway, shardBytesMax);
    const work = (onFile: (done: number, total: number) => void, signal: AbortSignal): Promise<void> =>
      gateway.hub.receiveShard(repository, bytes, { signal, onFile });
    return shardProgress(c, gateway, work);
  }
  throw new FirnError('not-found', `This hub does not answer ${c.req.method} here.`);
}

/**
 * The answer to a shard as lines of JSON, so that a client whose files take minutes to rebuild hears that something
 * happens. Ends in a `result` or an `error`.
 */
function shardProgress(
  c: Context<AppEnv>,
  { log }: HubGateway,
  work: (onFile: (done: number, total: number) => void, signal: AbortSignal) => Promise<void>,
): Response {
  const leaving = new AbortController();
  let heartbeat: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const say = (line: object): void => controller.enqueue(Buffer.from(`${JSON.stringify(line)}\n`));
      let progress = { type: 'validating', verified: 0, total: 1 };
      heartbeat = setInterval(() => say(progress), heartbeatMs);
      say(progress);
      const onFile = (verified: number, total: number): void => {
        progress = { type: 'validating', verified, total };
      };
      void work(onFile, leaving.signal)
        .then(
          () => say({ type: 'result' }),
          (error: unknown) => {
            const known = toFirnError(error);
            const { status, retryAfterSeconds } = problemKinds[known.code];
            if (status >= 500)
              log.error({ requestId: c.var.requestId, code: known.code, err: error }, 'a shard failed');
            say({ type: 'error', message: publicSentence(known), retryable: retryAfterSeconds !== undefined });
          },
        )
        .catch(() => undefined)
        .finally(() => {
          clearInterval(heartbeat);
          if (!leaving.signal.aborted) controller.close();
        });
    },
    cancel() {
      clearInterval(heartbeat);
      leaving.abort();
    },
  });
  return c.body(body, 200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' });
}
