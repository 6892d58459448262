import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { renderProblem, toFirnError } from '../../answer/render-problem.ts';
import type { AppEnv } from '../../app-env.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { jsonBody } from './json-body.ts';
import { requestId } from '../request-id.ts';

const pace = { bytesPerSecondMin: 0, windowMs: 60_000 };
const headers = { 'content-type': 'application/json' };

/** An app that holds so many bytes of bodies at most, and holds each until `release`. */
function holdingApp(gathered: GatheredBytes) {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const app = new Hono<AppEnv>();
  app.use(requestId(), async (c, next) => {
    c.set('principal', { id: 'someone' } as AppEnv['Variables']['principal']);
    await next();
  });
  app.use(jsonBody(['POST'], { pace, gathered }));
  app.post('/held', async (c) => (await released, c.text('done')));
  app.post('/free', (c) => c.text('done'));
  app.onError((error, c) => renderProblem(c, toFirnError(error)));
  const post = async (path: string, bytes: number): Promise<number> =>
    (await app.request(path, { method: 'POST', headers, body: 'x'.repeat(bytes) })).status;
  return { post, release };
}

it('bodies of one app leave the room of another alone, and come back when their requests end', async () => {
  const [full, other] = [holdingApp(new GatheredBytes(1000)), holdingApp(new GatheredBytes(1000))];
  const held = full.post('/held', 900);
  expect(await full.post('/free', 200)).toBe(503);
  // What was refused is not held.
  expect(await full.post('/free', 90)).toBe(200);
  expect(await other.post('/free', 1000)).toBe(200);
  full.release();
  expect(await held).toBe(200);
  expect(await full.post('/free', 1000)).toBe(200);
});
