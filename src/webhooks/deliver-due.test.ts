import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestCatalog } from '../catalog/test-catalog.test-support.ts';
import type { Catalog } from '../catalog/contract/catalog.ts';
import { webhookEvents } from '../checkpoint/webhook-events.ts';
import { deliverDue, retryDelaysMs } from './deliver-due.ts';
import { startReceiver, type Receiver } from './receiver.test-support.ts';
import { newSecret, signedHeaders } from './signature.ts';

let catalog: Catalog;
let receiver: Receiver;
const secret = newSecret();
let id: string;
beforeAll(async () => {
  [catalog, receiver] = [await openTestCatalog(), await startReceiver()];
});
beforeEach(async () => {
  receiver.answer = (response) => response.writeHead(204).end();
  ({ id } = await catalog.webhooks.create({ namespace: 'acme', url: receiver.url, secret, events: webhookEvents }));
});
afterAll(() => Promise.all([catalog.close(), receiver.close()]));

const outcomes: string[] = [];
const deliver = (set: { toPrivate?: boolean; timeoutMs?: number; signal?: AbortSignal } = {}) => {
  const { signal = new AbortController().signal, ...context } = set;
  return deliverDue({ catalog, toPrivate: true, onAttempt: (_, { as }) => outcomes.push(as), ...context }, signal);
};
const inSeconds = async (at: Date): Promise<number> => (at.getTime() - (await catalog.now()).getTime()) / 1000;

test('what is due is sent once, with a signature that the receiver can check', async () => {
  const ping = await catalog.deliveries.ping(id);
  await deliver();
  await deliver();
  const mine = receiver.received.filter(({ headers }) => headers['webhook-id'] === `msg_${ping.id}`);
  expect(mine).toHaveLength(1);
  const [{ headers, body }] = mine as [(typeof mine)[0]];
  expect(body).toBe(ping.body);
  const atMs = Number(headers['webhook-timestamp']) * 1000;
  expect(Math.abs(atMs - Date.now())).toBeLessThan(60_000);
  expect(headers).toMatchObject(signedHeaders({ id: `msg_${ping.id}`, body }, secret, atMs));
  expect(await catalog.deliveries.get(id, ping.id)).toMatchObject({ state: 'delivered', attempts: 1, status: 204 });
  expect(outcomes.at(-1)).toBe('delivered');
});

test('what is not taken is sent again, later each time, and has failed after the last time', async () => {
  receiver.answer = (response) => response.writeHead(500).end();
  const ping = await catalog.deliveries.ping(id);
  for (const [index, delayMs] of retryDelaysMs.entries()) {
    await deliver();
    const waiting = (await catalog.deliveries.get(id, ping.id))!;
    expect(waiting).toMatchObject({
      state: 'pending',
      attempts: index + 1,
      status: 500,
      error: 'The receiver answered 500.',
    });
    expect(Math.abs((await inSeconds(waiting.nextAt)) - delayMs / 1000)).toBeLessThan(3);
    // Time passes.
    await catalog.deliveries.end(waiting, { as: 'retry', delayMs: 0 });
  }
  await deliver();
  expect(await catalog.deliveries.get(id, ping.id)).toMatchObject({
    state: 'failed',
    attempts: retryDelaysMs.length + 1,
  });
});

test('a receiver can ask for more time, but not for ever', async () => {
  receiver.answer = (response) => response.writeHead(429, { 'retry-after': '600' }).end();
  const ping = await catalog.deliveries.ping(id);
  await deliver();
  expect(Math.abs((await inSeconds((await catalog.deliveries.get(id, ping.id))!.nextAt)) - 600)).toBeLessThan(3);
  receiver.answer = (response) => response.writeHead(429, { 'retry-after': '9999999' }).end();
  const other = await catalog.deliveries.ping(id);
  await deliver();
  const days = (await inSeconds((await catalog.deliveries.get(id, other.id))!.nextAt)) / 86_400;
  expect(days).toBeCloseTo(1, 1);
});

test('410 ends the webhook; it stays until somebody turns it on again', async () => {
  receiver.answer = (response) => response.writeHead(410).end();
  const ping = await catalog.deliveries.ping(id);
  await deliver();
  expect(await catalog.deliveries.get(id, ping.id)).toMatchObject({ state: 'failed', status: 410 });
  expect(await catalog.webhooks.get(id)).toMatchObject({ active: false });
});

test('a private address has failed at once, and nothing was sent', async () => {
  const before = receiver.received.length;
  const ping = await catalog.deliveries.ping(id);
  await deliver({ toPrivate: false });
  expect(await catalog.deliveries.get(id, ping.id)).toMatchObject({
    state: 'failed',
    error: 'The address is in a private network.',
  });
  expect(receiver.received).toHaveLength(before);
});

test('nobody there, and a receiver that hangs, are said in words and tried again', async () => {
  await catalog.webhooks.change(id, { url: 'http://127.0.0.1:1/' });
  const refused = await catalog.deliveries.ping(id);
  await deliver();
  expect((await catalog.deliveries.get(id, refused.id))!.error).toMatch(/ECONNREFUSED/);
  await catalog.webhooks.change(id, { url: receiver.url });
  receiver.answer = () => undefined;
  const hanging = await catalog.deliveries.ping(id);
  await deliver({ timeoutMs: 100 });
  expect((await catalog.deliveries.get(id, hanging.id))!.error).toMatch(/took longer than 0.1 s/);
});

test('a stop ends what is on its way, and the message is due at once', async () => {
  receiver.answer = () => undefined;
  const ping = await catalog.deliveries.ping(id);
  const stop = new AbortController();
  const delivering = deliver({ signal: stop.signal });
  await expect.poll(() => receiver.received.at(-1)?.headers['webhook-id']).toBe(`msg_${ping.id}`);
  stop.abort();
  await delivering;
  receiver.answer = (response) => response.writeHead(200).end();
  await deliver();
  expect(await catalog.deliveries.get(id, ping.id)).toMatchObject({ state: 'delivered', attempts: 2 });
});
