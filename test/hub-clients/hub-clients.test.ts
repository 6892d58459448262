import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HubApi } from '../acceptance/hub-api.ts';
import { startHub, type Hub } from '../acceptance/start-hub.ts';
import { findPythonWithHub } from './find-python.ts';
import { openRecordingProxy, type RecordingProxy } from './recording-proxy.ts';
import { clientDeadlineMs, runClient, startClient, type ClientProgram } from './run-client.ts';

const script = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Kills of one upload, and of one download, at random offsets. */
const killsOfOne = 3;
const mib = 1024 * 1024;
const sizes = [0, 1, 64 * mib - 1, 64 * mib, 64 * mib + 1];
const pythons = [
  { version: '1.33.0', found: findPythonWithHub('hub-1', '1.33.0') },
  { version: '2.0.0', found: findPythonWithHub('hub-2', '2.0.0') },
];
const absent = 'run npm run hub-clients:install, or name its folder in FIRN_HUB_CLIENTS';
for (const { version, found } of pythons)
  if (found === undefined) console.warn(`hub-clients.test.ts: huggingface_hub ${version} is skipped: ${absent}.`);

let hub: Hub;
let proxy: RecordingProxy;
let token: string;

beforeAll(async () => {
  hub = await startHub({ environment: { FIRN_ACCESS: 'tokens' } });
  proxy = await openRecordingProxy(hub.url);
  const admin = /hf_[A-Za-z0-9]{44}/.exec(hub.output())![0];
  const json = { name: 'me', grants: ['admin:me'] };
  const made = await new HubApi(hub.url).post('/v1/tokens', json, { authorization: `Bearer ${admin}` });
  expect(made.status).toBe(201);
  token = (JSON.parse(made.bytes.toString()) as { token: string }).token;
}, 330_000);

afterAll(async () => {
  await proxy?.close();
  await hub?.stop();
});

/** A client's folder is its home, so `.` as an argument stands for a folder of its own. */
const program = (path: string, xet = true): ClientProgram => ({ program: path, endpoint: proxy.url, token, xet });

describe.each(pythons)('huggingface_hub $version', ({ version, found }) => {
  const run = (name: string, xet: boolean, args: readonly string[]): Promise<string> =>
    runClient(program(found!.path, xet), [script(`python/${name}.py`), ...args]);
  const named = (what: string, xet: boolean): string => `me/${what}-${version}-${xet ? 'xet' : 'lfs'}`;
  const hasModels = found?.versions['transformers'] !== undefined && found.versions['accelerate'] !== undefined;
  const hasDataSets = found?.versions['datasets'] !== undefined && version === '1.33.0';
  if (found !== undefined && !hasModels)
    console.warn(`hub-clients.test.ts: transformers with huggingface_hub ${version} is skipped: it is not installed.`);

  for (const xet of [true, false])
    describe.skipIf(found === undefined)(xet ? 'with Xet' : 'without Xet', () => {
      const it = (name: string, scriptName: string, more: readonly string[]): void =>
        test(
          name,
          () => run(scriptName, xet, [named(scriptName, xet), ...more]).then(() => undefined),
          clientDeadlineMs,
        );
      it('creates, commits, lists, branches, tags, moves and deletes', 'repositories', ['.']);
      it('files of sizes at which clients and servers cut come back', 'file_sizes', ['.', ...sizes.map(String)]);
      it('two writers race on one branch: one is refused with 412, and repeats', 'race', ['4']);
      it('single tensors are read by range', 'lazy_tensors', ['.']);
    });

  test.skipIf(found === undefined)(
    'a folder of 500 files comes back',
    async () => {
      await run('many_files', version === '2.0.0', [named('many', true), '.', '500']);
    },
    clientDeadlineMs,
  );

  test.skipIf(found === undefined)(
    'the hf command line uploads, downloads, tags, moves and deletes',
    async () => {
      const hf = found!.path.replace(/python$/, 'hf');
      await runClient(program('bash'), [script('command-line.sh'), hf, `me/command-line-${version}`]);
    },
    clientDeadlineMs,
  );

  test.skipIf(found === undefined).each([true, false])(
    'uploads and downloads that are killed anywhere are taken up again (Xet: %s)',
    async (xet) => {
      const folder = await mkdtemp(join(tmpdir(), 'firn-killed-'));
      const repository = named('killed', xet);
      for (const [name, direction, more] of [
        ['push_folder', 'up', ['8000000', '3']],
        ['pull_folder', 'down', []],
      ] as const) {
        const args = [script(`python/${name}.py`), repository, folder, ...more];
        for (let kill = 0; kill < killsOfOne; kill++) {
          const client = await startClient(program(found!.path, xet), args);
          const killed = proxy.passed(direction, randomInt(1, 16_000_000)).then(() => client.child.kill('SIGKILL'));
          await Promise.race([killed, client.done]);
          await client.done;
        }
        await runClient(program(found!.path, xet), args);
      }
      await rm(folder, { recursive: true });
    },
    clientDeadlineMs,
  );

  test.skipIf(found === undefined)(
    'a large folder comes back',
    async () => {
      await run('large_folder', true, [named('large', true), '.', '40']);
    },
    clientDeadlineMs,
  );

  test.skipIf(!hasModels)(
    'transformers pushes and loads models and tokenizers',
    async () => {
      await run('models', true, [named('model', true)]);
    },
    clientDeadlineMs,
  );

  test.skipIf(!hasModels).each(['every_save', 'checkpoint', 'all_checkpoints'])(
    'a Trainer with hub_strategy %s pushes, and resumes from what comes back',
    async (strategy) => {
      await run('trainer', true, [named(strategy, true), strategy, '.']);
    },
    clientDeadlineMs,
  );

  test.skipIf(!hasDataSets)(
    'datasets pushes and loads',
    async () => {
      await run('data_sets', true, [named('rows', true)]);
    },
    clientDeadlineMs,
  );
});

test.each(['hub-client-newest', 'hub-client-older'])(
  '@huggingface/hub as %s walks the hub',
  async (name) => {
    const walk = [script('javascript/walk.mjs'), name, proxy.url, token, `me/${name}`, '.'];
    await runClient(program(process.execPath), walk);
  },
  clientDeadlineMs,
);
