import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PrivateAddress } from './public-address.ts';
import { startReceiver, type Receiver } from './receiver.test-support.ts';
import { sendMessage } from './send-message.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
beforeEach(() => {
  receiver.answer = (response) => response.writeHead(204).end();
});
afterAll(() => receiver.close());

const options = { toPrivate: true, timeoutMs: 5_000, signal: new AbortController().signal };
const send = (set: Partial<typeof options> = {}, url = receiver.url) =>
  sendMessage({ url, headers: { 'webhook-id': 'msg_1' } }, '{"ü":1}', { ...options, ...set });

test('the text arrives as JSON, with the fields that were given', async () => {
  expect(await send()).toEqual({ status: 204 });
  expect(receiver.received.at(-1)).toMatchObject({
    body: '{"ü":1}',
    headers: { 'content-type': 'application/json', 'content-length': '8', 'webhook-id': 'msg_1', connection: 'close' },
  });
});

test('an answer is a status, and a time to wait; a redirect is not followed', async () => {
  receiver.answer = (response) => response.writeHead(307, { location: receiver.url }).end();
  const before = receiver.received.length;
  expect(await send()).toEqual({ status: 307 });
  expect(receiver.received).toHaveLength(before + 1);
  receiver.answer = (response) => response.writeHead(503, { 'retry-after': '90' }).end('busy');
  expect(await send()).toEqual({ status: 503, retryAfterMs: 90_000 });
  receiver.answer = (response) => response.writeHead(503, { 'retry-after': 'Fri, 01 Jan 2027 00:00:00 GMT' }).end();
  expect(await send()).toEqual({ status: 503 });
});

test('nothing is sent to this machine unless it is allowed', async () => {
  const before = receiver.received.length;
  await expect(send({ toPrivate: false })).rejects.toThrow(PrivateAddress);
  await expect(send({ toPrivate: false }, receiver.url.replace('127.0.0.1', 'localhost'))).rejects.toThrow(
    PrivateAddress,
  );
  expect(receiver.received).toHaveLength(before);
});

test('a receiver that takes too long is given up, silent or dripping', async () => {
  receiver.answer = () => undefined;
  await expect(send({ timeoutMs: 100 })).rejects.toThrow('took longer than 0.1 s');
  let dripping = true;
  receiver.answer = (response) => {
    response.writeHead(200);
    void (async () => {
      while (dripping) {
        response.write('.');
        await pause(10);
      }
    })();
  };
  await expect(send({ timeoutMs: 200 })).rejects.toThrow('took longer than 0.2 s');
  dripping = false;
});

test('of an endless answer only a part is read', async () => {
  receiver.answer = (response) => {
    response.writeHead(200);
    const more = (): void => {
      while (response.write(Buffer.alloc(16 * 1024)));
    };
    response.on('drain', more);
    more();
  };
  expect(await send()).toEqual({ status: 200 });
});

test('a broken connection, nobody there, and a stop are errors', async () => {
  receiver.answer = (response) => response.destroy();
  await expect(send()).rejects.toThrow();
  await expect(send({}, 'http://127.0.0.1:1/')).rejects.toThrow('ECONNREFUSED');
  receiver.answer = () => undefined;
  const stop = new AbortController();
  const sending = send({ signal: stop.signal });
  await pause(50);
  stop.abort(new Error('stopping'));
  await expect(sending).rejects.toThrow('stopping');
});
