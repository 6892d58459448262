import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { pythonClientTexts } from '../../scripts/write-python-client.ts';
import { createApp } from '../../src/http/app.ts';
import { openTestGateway, type TestGateway } from '../../src/http/gateway.test-support.ts';
import { ramp, safetensors } from '../../src/http/safetensors.test-support.ts';
import { startServer, type RunningServer } from '../../src/http/start-server.ts';
import { findPythonWithHttpx } from './find-python-with-httpx.ts';

const client = fileURLToPath(new URL('../../clients/python-api', import.meta.url));
const script = fileURLToPath(new URL('push_and_pull.py', import.meta.url));
const python = findPythonWithHttpx();
if (python === undefined) console.warn('python-api.test.ts: skipped, since there is no Python with httpx.');
/** How often a waiting checkpoint is looked for, in ms. */
const encodeEveryMs = 200;

test('the generated modules are those of openapi/firn.json: run `npm run python-client` after a change', async () => {
  for (const [file, text] of await pythonClientTexts()) expect(await readFile(file, 'utf8')).toBe(text);
});

describe.skipIf(python === undefined)(`the Python client and a hub${python ? '' : ' (skipped: no httpx)'}`, () => {
  let gateway: TestGateway;
  let server: RunningServer;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firn-python-api-'));
    gateway = await openTestGateway();
    server = await startServer({ app: createApp(gateway), host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await server.close(0);
    await gateway.close();
    await rm(folder, { recursive: true });
  });

  it('pushes, waits and pulls; what broke goes on where it was', async () => {
    const model = safetensors({ w: { shape: [300, 300], values: ramp(90_000, 1) } });
    await mkdir(join(folder, 'pushed'));
    await writeFile(join(folder, 'pushed', 'config.json'), '{"model_type": "tiny"}');
    await writeFile(join(folder, 'pushed', 'model.safetensors'), model);
    const child = spawn(python!, ['-B', script, server.url, folder], { env: { ...process.env, PYTHONPATH: client } });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    const ended = once(child, 'close') as Promise<[number | null]>;
    let encoded = Promise.resolve();
    const encoding = setInterval(() => {
      encoded = encoded.then(() => gateway.encode());
    }, encodeEveryMs);
    const [status] = await ended;
    clearInterval(encoding);
    await encoded;
    expect(status, said).toBe(0);
    expect(JSON.parse(said)).toEqual({
      broke: true,
      sentBefore: 2,
      sentAfter: 4,
      state: 'queued',
      again: expect.stringMatching(/queued|working|ready/) as unknown,
      made: ['private', 'exact'],
      others: [
        ['conflict', expect.stringMatching(/^The run me\/made\/first is there already, with no eval set:/) as unknown],
        [
          'conflict',
          expect.stringMatching(/^The run me\/made\/first is there already, with no threshold of loss:/) as unknown,
        ],
        ['not-found', expect.stringContaining('There is no such eval set.') as unknown],
      ],
      pullBroke: true,
      kept: [expect.any(Number)],
      refused: [404, 'not-found'],
      changed: 'step-exists',
      plain: 'refused',
      steps: [10],
    });
    expect(await readFile(join(folder, 'pulled', 'model.safetensors'))).toEqual(model);
    expect(await readFile(join(folder, 'pulled', 'config.json'), 'utf8')).toBe('{"model_type": "tiny"}');
  });
});
