import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../src/http/app.ts';
import { openTestGateway, type TestGateway } from '../src/http/gateway.test-support.ts';
import { caller } from '../src/http/http-client.test-support.ts';
import { ramp, safetensors } from '../src/http/safetensors.test-support.ts';
import { startServer, type RunningServer } from '../src/http/start-server.ts';

const client = fileURLToPath(new URL('../clients/python', import.meta.url));
const libraryName = process.platform === 'darwin' ? 'libfirn.dylib' : 'libfirn.so';
const library = fileURLToPath(new URL(`../build/addon/Release/${libraryName}`, import.meta.url));
const hasPython = spawnSync('python3', ['-c', 'import numpy']).status === 0;
const hasLibrary = existsSync(library);
if (!hasPython) console.warn('python-client.test.ts: skipped, since there is no python3 with numpy.');
if (!hasLibrary) console.warn(`python-client.test.ts: the C core is not tested, since ${library} was not built.`);
const decoders = [...(hasLibrary ? [library] : []), 'numpy'] as const;

/** Runs Python beside this process, which may be the hub it talks to. */
async function python(args: readonly string[], decoder: string): Promise<{ status: number | null; said: string }> {
  const child = spawn('python3', ['-B', ...args], { cwd: client, env: { ...process.env, FIRN_CORE: decoder } });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, said };
}

describe.skipIf(!hasPython)(`the Python package${hasPython ? '' : ' (skipped: no python3 with numpy)'}`, () => {
  it.skipIf(!hasLibrary)(
    `passes its own tests with the C core${hasLibrary ? '' : ' (skipped: libfirn was not built)'}`,
    async () => {
      const { status, said } = await python(['-m', 'unittest', 'discover', '-s', 'tests', '-t', 'tests'], library);
      expect(status, said).toBe(0);
      expect(said).not.toContain('skipped');
    },
    300_000,
  );

  // Its decoder's tests without the core are in decode-package.test.ts.
  it('passes the tests of pulling with numpy alone', async () => {
    const { status, said } = await python(['-m', 'unittest', 'discover', '-s', 'tests', '-p', 'test_p*.py'], 'numpy');
    expect(status, said).toBe(0);
  }, 300_000);
});

describe.skipIf(!hasPython)('the Python package and a hub', () => {
  let gateway: TestGateway;
  let server: RunningServer;
  let folder: string;
  const config = Buffer.from('{"model_type": "tiny"}');
  const model = (step: number): Buffer =>
    safetensors({
      'layer.weight': {
        shape: [128, 128],
        values: ramp(16_384, 1).map((value, i) => (i % 97 < step ? value + 1 : value)),
      },
    });
  const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firn-python-'));
    gateway = await openTestGateway();
    const app = createApp(gateway);
    const call = caller(app);
    await call('POST', '/v1/repositories', { namespace: 'me', name: 'tiny' });
    for (const step of [100, 200]) {
      const lines = [
        { key: 'header', value: { summary: `step ${step}` } },
        ...[['config.json', config] as const, ['model.safetensors', model(step / 100)] as const].map(
          ([path, bytes]) => ({
            key: 'file',
            value: { path, content: bytes.toString('base64'), encoding: 'base64' },
          }),
        ),
      ];
      const { status } = await call(
        'POST',
        '/api/models/me/tiny/commit/main',
        Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
        { 'content-type': 'application/x-ndjson' },
      );
      expect(status).toBe(200);
      await gateway.encode();
    }
    server = await startServer({ app, host: '127.0.0.1', port: 0 });
  }, 120_000);
  afterAll(async () => {
    await server.close(0);
    await gateway.close();
    await rm(folder, { recursive: true });
  });

  it.each(decoders)('pull a step, and the next one from what it needs besides (%s)', async (decoder) => {
    const place = join(folder, decoder === 'numpy' ? 'numpy' : 'core');
    const script = `
import sys, firn
hub, place = sys.argv[1:]
cached = {"endpoint": hub, "token": "any", "cache_dir": place + "/cache"}
firn.snapshot_download("me/tiny", revision="step-100", local_dir=place + "/100", **cached)
delta = firn.pull_delta("me/tiny", "step-100", "step-200", **cached)
print(len(delta.packages), len(delta.files), delta.downloaded_bytes < 20_000)
print(firn.snapshot_download("me/tiny", local_dir=place + "/main", **cached))
print(firn.snapshot_download("me/tiny", revision=delta.to_revision, **cached))
`;
    const { status, said } = await python(['-c', script, server.url, place], decoder);
    expect(status, said).toBe(0);
    const [counts, , snapshot] = said.trim().split('\n');
    expect(counts).toBe('1 0 True');
    for (const [where, step] of [
      [join(place, '100'), 1],
      [join(place, 'main'), 2],
      [snapshot!, 2],
    ] as const) {
      expect(sha256(await readFile(join(where, 'model.safetensors')))).toBe(sha256(model(step)));
      expect(await readFile(join(where, 'config.json'))).toEqual(config);
    }
  });
});
