import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { classifierFile, classifierWeights } from './classifier.ts';
import { createRepository, createRun } from './hub-fixtures.ts';
import { HubApi, readJson, type Json } from './hub-api.ts';
import { startHub, type Hub } from './start-hub.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const model = classifierFile(classifierWeights(1));
/** Longest wait for a message, in ms, on a busy machine. */
const waitMs = 60_000;
const receivers = [
  ['Node', process.execPath, 'examples/webhooks/receiver.mjs'],
  ['Python', 'python3', 'examples/webhooks/receiver.py'],
] as const;

interface Program {
  readonly url: string;
  output(): string;
  stop(): Promise<void>;
}

const started: ChildProcess[] = [];
const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};

/** One of the receivers in examples/, on a free port. */
async function startReceiver(command: string, path: string): Promise<Program> {
  const child = spawn(command, [path, '0'], { cwd: root, env: { ...process.env, WEBHOOK_SECRET: secret } });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await expect.poll(() => output, { timeout: waitMs }).toMatch(/listening on http:\S+/);
  return { url: /http:\S+/.exec(output)![0], output: () => output, stop: () => stop(child) };
}

describe('webhooks', () => {
  let hub: Hub;
  let api: HubApi;
  const make = async (namespace: string, url: string): Promise<string> =>
    (readJson(await api.post('/v1/webhooks', { namespace, url, secret }), 201) as { id: string }).id;
  const messages = async (id: string): Promise<Json[]> =>
    (readJson(await api.get(`/v1/webhooks/${id}/messages`), 200) as { items: Json[] }).items;

  beforeAll(async () => {
    hub = await startHub({ environment: { FIRN_WEBHOOKS_PRIVATE: 'on' } });
    api = new HubApi(hub.url);
  });
  afterEach(async () => {
    for (const child of started.splice(0)) await stop(child);
  });
  afterAll(() => hub?.stop());

  test.each(receivers)(
    'a receiver in %s is told of a checkpoint that is ready, and believes no forgery',
    async (language, command, path) => {
      const receiver = await startReceiver(command, path);
      const repository = await createRepository(api, `told-${language.toLowerCase()}`);
      const namespace = repository.split('/').at(-2)!;
      const id = await make(namespace, receiver.url);
      const run = await createRun(api, repository, { name: 'train', fidelity: 'exact' });
      readJson(await api.put(`${run}/checkpoints/7`, model), 202);
      await api.ready(`${run}/checkpoints/7`);
      await expect.poll(receiver.output, { timeout: waitMs }).toContain('checkpoint.ready');
      const said = receiver.output().split('checkpoint.ready ')[1]!.split('\n')[0]!;
      expect(JSON.parse(said)).toMatchObject({
        repository: repository.replace('/v1/repositories/', ''),
        run: 'train',
        step: 7,
        fidelity: 'exact',
      });
      await expect.poll(async () => (await messages(id))[0]!['state'], { timeout: waitMs }).toBe('delivered');
      for (const signature of ['', 'v1,', `v1,${createHash('sha256').update('x').digest('base64')}`, 'v1,ü']) {
        const forged = await fetch(receiver.url, {
          method: 'POST',
          headers: {
            'webhook-id': 'msg_0',
            'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
            'webhook-signature': encodeURI(signature),
          },
          body: '{"type":"forged","data":{}}',
        });
        expect(forged.status).toBe(401);
      }
      expect(receiver.output()).not.toContain('forged');
      expect((await api.ask('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
    },
    2 * waitMs,
  );

  test(
    'a message that a killed hub was sending is sent by the next one',
    async () => {
      const dataDirectory = hub.dataDirectory;
      let asked = 0;
      // Answers nothing until the hub was killed.
      const server = createServer((_, response) => (asked++ === 0 ? undefined : response.writeHead(204).end()));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        const id = await make('killed', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
        readJson(await api.post(`/v1/webhooks/${id}/messages`, {}), 202);
        await expect.poll(() => asked, { timeout: waitMs }).toBe(1);
        const dead = once(hub.process, 'exit');
        hub.process.kill('SIGKILL');
        await dead;
        const next = await startHub({ dataDirectory, environment: { FIRN_WEBHOOKS_PRIVATE: 'on' } });
        try {
          api = new HubApi(next.url);
          // The attempt still belongs to the killed hub, for half a minute.
          await expect
            .poll(async () => (await messages(id))[0], { timeout: 2 * waitMs, interval: 500 })
            .toMatchObject({ state: 'delivered', attempts: 2 });
        } finally {
          await next.stop();
        }
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
    6 * waitMs,
  );
});
