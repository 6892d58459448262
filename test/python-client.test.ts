import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenAccess } from '../src/access/access.ts';
import { createToken } from '../src/access/create-token.ts';
import { operator } from '../src/access/principal.ts';
import { parseGrant } from '../src/checkpoint/grant.ts';
import { createApp } from '../src/http/app.ts';
import { openTestGateway, type TestGateway } from '../src/http/gateway.test-support.ts';
import { file, header, ndjson } from '../src/http/hub/hub-client.test-support.ts';
import { caller, type Call } from '../src/http/http-client.test-support.ts';
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

describe.skipIf(!hasPython)('what the Python package pulls of a public fine-tune with a private base', () => {
  let gateway: TestGateway;
  let server: RunningServer;
  let call: Call;
  let folder: string;
  let admin: string;
  let tunedOnly: string;
  const weights = (moved: number): Buffer => {
    let state = 12345;
    const values = Array.from({ length: 16_384 }, (_, i) => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return Math.fround(state / 2 ** 32 - 0.5) + (i < moved ? 0.25 : 0);
    });
    return safetensors({ w: { shape: [128, 128], values } });
  };
  const push = async (name: string, step: number, moved: number, visibility: string): Promise<void> => {
    const headers = { authorization: `Bearer ${admin}` };
    await call('POST', '/v1/repositories', { namespace: 'me', name, visibility }, headers);
    const lines = [header(`step ${step}`), file('model.safetensors', weights(moved))];
    if (visibility === 'public') lines.push(file('README.md', '---\nbase_model: me/base\n---\n'));
    const answer = await call('POST', `/api/models/me/${name}/commit/main`, ndjson(lines), {
      ...headers,
      'content-type': 'application/x-ndjson',
    });
    expect(answer.status, answer.bytes.toString()).toBe(200);
    await gateway.encode();
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firn-python-'));
    gateway = await openTestGateway({
      admittance: (catalog) => ({ access: tokenAccess({ catalog }), trustProxy: false }),
    });
    const app = createApp(gateway);
    call = caller(app);
    const tokenOf = async (grant: string): Promise<string> =>
      (await createToken(gateway.catalog, operator, { name: 'test', grants: [parseGrant(grant)] })).text;
    admin = await tokenOf('admin');
    tunedOnly = await tokenOf('read:me/tuned');
    await push('base', 1, 0, 'private');
    await push('tuned', 1, 40, 'public');
    await push('tuned', 2, 60, 'public');
    server = await startServer({ app, host: '127.0.0.1', port: 0 });
  }, 120_000);
  afterAll(async () => {
    await server.close(0);
    await gateway.close();
    await rm(folder, { recursive: true });
  });

  const script = `
import sys, firn
endpoint, place, token = sys.argv[1:]
hub = firn.Hub(endpoint, token, place + "/cache")
delta = hub.pull_delta("me/tuned", "step-1", "step-2")
print(len(delta.packages), len(delta.files))
hub.snapshot_download("me/tuned", "step-2", place + "/files")
`;
  /** Packages and plain files that a holder of the first step needs for the second, which is rebuilt. */
  const pull = async (token: string, decoder: string): Promise<string> => {
    const place = await mkdtemp(join(folder, 'pull-'));
    const { status, said } = await python(['-c', script, server.url, place, token], decoder);
    expect(status, said).toBe(0);
    expect((await readFile(join(place, 'files', 'model.safetensors'))).equals(weights(60))).toBe(true);
    return said.trim();
  };

  it.each(decoders)('is rebuilt for who may read both, and downloaded for others (%s)', async (decoder) => {
    expect(await pull(admin, decoder)).toBe('1 0');
    expect(await pull(tunedOnly, decoder)).toBe('0 1');
    expect(await pull('', decoder)).toBe('0 1');
  });

  it('is downloaded by everybody once the base was deleted', async () => {
    const base = { name: 'base', organization: 'me' };
    const headers = { authorization: `Bearer ${admin}` };
    expect((await call('DELETE', '/api/repos/delete', base, headers)).status).toBe(200);
    expect(await pull(admin, decoders[0]!)).toBe('0 1');
    expect(await pull('', decoders[0]!)).toBe('0 1');
  });
});
