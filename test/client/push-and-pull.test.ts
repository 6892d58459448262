import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  findCheckpoints,
  findStep,
  openHub,
  pullCheckpoint,
  pushCheckpoint,
  waitForCheckpoint,
  type Hub as Client,
} from '../../clients/typescript/src/index.ts';
import { sendFile } from '../../clients/typescript/src/push/send-file.ts';
import { startHub, type Hub } from '../acceptance/start-hub.ts';

let folder: string;
let hub: Hub;
let client: Client;
const repository = { namespace: 'me', name: 'gpt' };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-client-'));
  hub = await startHub({ dataDirectory: join(folder, 'data') });
  client = openHub({ url: hub.url });
  await client.api.POST('/v1/repositories', { body: repository });
  await client.api.POST('/v1/repositories/{namespace}/{name}/runs', {
    params: { path: repository },
    body: { name: 'train' },
  });
});
afterAll(async () => {
  client.close();
  await hub.stop();
  await rm(folder, { recursive: true, force: true });
});

function weights(sizeBytes: number): Buffer {
  const header = Buffer.from(JSON.stringify({ w: { dtype: 'U8', shape: [sizeBytes], data_offsets: [0, sizeBytes] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, randomBytes(sizeBytes)]);
}
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const at = (step: number) => ({ ...repository, run: 'train', step });

test("a Trainer's output folder comes back as it was, and a second push sends nothing", async () => {
  const output = join(folder, 'output');
  const files = new Map<string, Buffer>();
  for (const step of [100, 1000]) {
    await mkdir(join(output, `checkpoint-${step}`), { recursive: true });
    for (const [name, bytes] of [
      ['model.safetensors', weights(50_000)],
      ['config.json', Buffer.from(`{"step":${step}}`)],
    ] as const) {
      files.set(`${step}/${name}`, bytes);
      await writeFile(join(output, `checkpoint-${step}`, name), bytes);
    }
    await writeFile(join(output, `checkpoint-${step}`, 'pytorch_model.bin'), 'a pickle');
  }
  const found = findCheckpoints(output);
  expect(found.map(({ step, leftOut }) => [step, leftOut])).toEqual([
    [100, ['pytorch_model.bin']],
    [1000, ['pytorch_model.bin']],
  ]);
  for (const { step, files: local } of found) {
    expect((await pushCheckpoint(client, at(step!), { files: local })).outcome).toBe('pushed');
    expect((await pushCheckpoint(client, at(step!), { files: local })).outcome).toBe('already');
    expect((await waitForCheckpoint(client, at(step!))).state).toBe('ready');
  }
  expect(await findStep(client, { ...repository, run: 'train' })).toMatchObject({ step: 1000 });
  const pulled = await pullCheckpoint(client, at(1000), { to: join(folder, 'back') });
  for (const { path, to, sha256, isVerified } of pulled) {
    expect(await readFile(to)).toEqual(files.get(`1000/${path}`));
    expect([sha256, isVerified]).toEqual([digest(files.get(`1000/${path}`)!), true]);
  }
  expect((await pullCheckpoint(client, at(1000), { to: join(folder, 'back') })).every(({ wasThere }) => wasThere)).toBe(
    true,
  );
  await writeFile(join(output, 'checkpoint-100', 'config.json'), '{"step":999}');
  await expect(pushCheckpoint(client, at(100), { files: findCheckpoints(output)[0]!.files })).rejects.toMatchObject({
    code: 'step-exists',
  });
});

test('a resumable push goes on where it broke, and a pull too', async () => {
  const large = { ...repository, run: 'large', step: 2000 };
  await client.api.POST('/v1/repositories/{namespace}/{name}/runs', {
    params: { path: repository },
    body: { name: 'large' },
  });
  const bytes = weights(40_000_000);
  const from = join(folder, 'large.safetensors');
  await writeFile(from, bytes);
  const files = findCheckpoints(from)[0]!.files;
  await client.api.POST('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints', {
    params: { path: { ...repository, run: 'large' } },
    body: { step: 2000 },
  });
  // The connection is cut after a part, as often as it takes.
  const reached: number[] = [];
  for (let cut = 0; cut < 3; cut++) {
    const leaving = new AbortController();
    await sendFile(client, large, files[0]!, {
      isRepeated: true,
      signal: leaving.signal,
      onProgress: (sent) => {
        if (sent >= (cut + 1) * 10_000_000) leaving.abort();
        else if (reached.length === cut) reached.push(sent);
      },
    }).catch((error: Error) => expect(error.name).toBe('AbortError'));
  }
  expect(reached[2]).toBeGreaterThan(0);
  await pushCheckpoint(client, large, { files });
  expect((await waitForCheckpoint(client, large)).state).toBe('ready');
  const leaving = new AbortController();
  await expect(
    pullCheckpoint(client, large, {
      to: join(folder, 'large'),
      ranges: 1,
      signal: leaving.signal,
      onProgress: (received) => received > 36_000_000 && leaving.abort(),
    }),
  ).rejects.toThrow();
  let first: number | undefined;
  const [pulled] = await pullCheckpoint(client, large, {
    to: join(folder, 'large'),
    onProgress: (received) => (first ??= received),
  });
  expect(first).toBeGreaterThanOrEqual(32 * 1024 * 1024);
  expect(pulled!.sha256).toBe(digest(bytes));
});

/** A line to the hub that takes `bytesPerSecond` of requests, and says with which methods they begin. */
async function openLine(bytesPerSecond: () => number) {
  const methods: string[] = [];
  const target = new URL(hub.url);
  const server = createServer((client) => {
    const there = connect(Number(target.port), target.hostname);
    there.pipe(client);
    for (const socket of [client, there])
      socket.on('error', () => undefined).on('close', () => (client.destroy(), there.destroy()));
    void (async () => {
      for await (const chunk of client as AsyncIterable<Buffer>) {
        const [, method] = /^([A-Z]+) \/\S* HTTP\/1\.1\r\n/.exec(chunk.toString('latin1', 0, 1000)) ?? [];
        if (method !== undefined) methods.push(method);
        there.write(chunk);
        await pause((1000 * chunk.length) / bytesPerSecond());
      }
    })().catch(() => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, methods, close: () => server.close() };
}

test.each([
  ['goes on in parts that a break cannot lose', 4_000_000, 1000, ['PUT', 'POST', 'HEAD', 'HEAD', 'PATCH']],
  // Whatever else this machine does, it sends 40 MB within the half minute that a push waits for.
  ['stays one request on a fast line', Infinity, 30_000, ['PUT']],
])(
  'a push that would take long %s',
  async (_what, startsAt, restMaxMs, methods) => {
    let bytesPerSecond = startsAt;
    const line = await openLine(() => bytesPerSecond);
    const slow = openHub({ url: line.url });
    try {
      const step = methods.length;
      const at = { ...repository, run: 'slow', step };
      const path = { ...repository, run: 'slow' };
      await client.api
        .POST('/v1/repositories/{namespace}/{name}/runs', { params: { path: repository }, body: { name: 'slow' } })
        .catch(() => undefined);
      await client.api.POST('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints', {
        params: { path },
        body: { step },
      });
      const bytes = weights(40_000_000);
      const from = join(folder, `slow-${step}.safetensors`);
      await writeFile(from, bytes);
      const sha256 = await sendFile(slow, at, findCheckpoints(from)[0]!.files[0]!, {
        isRepeated: false,
        patience: { lookEveryMs: 200, restMaxMs },
        // The line is slow until the push is one of parts.
        onProgress: () => line.methods.includes('POST') && (bytesPerSecond = Infinity),
      });
      expect([sha256, line.methods]).toEqual([digest(bytes), methods]);
    } finally {
      slow.close();
      line.close();
    }
  },
  60_000,
);
