import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { AppEnv } from '../../app-env.ts';
import { gatherBody } from './gather-body.ts';
import { GatheredBytes } from './gathered-bytes.ts';

/** Bytes that all bodies together, and one of them, may have. */
const allMax = 100;
const oneMax = 60;

function openApp() {
  const gathered = new GatheredBytes(allMax);
  const limits = { pace: { bytesPerSecondMin: 0, windowMs: 60_000 }, gathered };
  const held: (() => void)[] = [];
  const app = new Hono<AppEnv>();
  app.post('/', async (c) => {
    const { bytes, release } = await gatherBody(c, limits, { bytesMax: oneMax, tooLarge: 'too large' });
    held.push(release);
    return c.text(bytes.toString());
  });
  app.onError((error, c) => c.text(error instanceof FirnError ? error.code : 'other'));
  const send = async (sizeBytes: number): Promise<string> =>
    (await app.request('/', { method: 'POST', body: 'x'.repeat(sizeBytes) })).text();
  return { send, held };
}

it('bodies count together until they are released; a refused one does not', async () => {
  const { send, held } = openApp();
  for (let again = 0; again < 3; again++) expect(await send(oneMax + 1)).toBe('payload-too-large');
  expect(await send(oneMax)).toHaveLength(oneMax);
  for (let again = 0; again < 3; again++) expect(await send(allMax - oneMax + 1)).toBe('overloaded');
  expect(await send(allMax - oneMax)).toHaveLength(allMax - oneMax);
  held.forEach((release) => release());
  expect(await send(oneMax)).toHaveLength(oneMax);
});
