import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { classifierFile, classifierRows, classifierWeights } from '../acceptance/classifier.ts';
import { createClassifierSet, createRepository, createRun, pushOne, smallSearch } from '../acceptance/hub-fixtures.ts';
import { HubApi, sha256, type Json } from '../acceptance/hub-api.ts';
import { startHub, type Hub, type HubOptions } from '../acceptance/start-hub.ts';
import { firnProgram } from '../harness/firn-program.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { createDatabase, describeOnPostgres, type TestDatabase } from '../postgres/create-database.ts';

/** Several starts of processes on two busy processors. */
const timeoutMs = 300_000;
/** Longest wait for a checkpoint, in ms. */
const readyMs = 120_000;
const leaseSeconds = 3;
/** Most tries, because a search may end before the kill. */
const killTriesMax = 5;

describeOnPostgres('processes that share a database and an object folder', () => {
  let database: TestDatabase;
  let dataDirectory: string;
  const hubs: Hub[] = [];
  const start = async (command: 'serve' | 'work', environment: HubOptions['environment'] = {}): Promise<Hub> => {
    const keys = {
      FIRN_DATABASE_URL: database.url,
      FIRN_LEASE_S: String(leaseSeconds),
      FIRN_EVAL_PARALLEL: '1',
      ...environment,
    };
    const hub = await startHub({ command, dataDirectory, environment: keys });
    hubs.push(hub);
    return hub;
  };
  beforeEach(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), 'firn-many-'));
    database = await createDatabase({ migrated: true });
  });
  afterEach(async () => {
    await Promise.all(hubs.splice(0).map((hub) => hub.stop()));
    await database.drop();
    await rm(dataDirectory, { recursive: true, force: true });
  });

  const ready = async (api: HubApi, checkpoint: string): Promise<Json> => {
    for (const deadline = Date.now() + readyMs; ; await pause(100)) {
      const status = await api.read(checkpoint);
      if (status.state === 'ready') return status;
      expect([status.state, status.error]).toEqual([expect.stringMatching(/queued|working/), undefined]);
      if (Date.now() > deadline) throw new Error(`${checkpoint} is still ${status.state}`);
    }
  };
  const checkDownload = async (api: HubApi, checkpoint: string): Promise<void> => {
    const status = await api.read(checkpoint);
    const { status: code, bytes } = await api.get(`${checkpoint}/files/model.safetensors`);
    expect([code, sha256(bytes)]).toEqual([200, status.files[0].rebuilt.sha256]);
  };

  test(
    'a worker that is killed in a search is followed by another, which repeats no recorded evaluation',
    async () => {
      const [first, second, worker] = await Promise.all([start('serve'), start('serve'), start('work')]);
      const [here, there] = [new HubApi(first.url), new HubApi(second.url)];
      const repository = await createRepository(here, 'shared');
      await createClassifierSet(here, repository, classifierRows(classifierWeights(0)));
      const lossy = {
        evalSet: 'held-out',
        thresholds: { loss: 0.05 },
        search: { ...smallSearch, method: 'inshrinkerator' },
      };

      // Killed as soon as a follower at the other gateway sees a trial.
      let killed = worker;
      let seen: Json[] = [];
      let checkpoint = '';
      for (let step = 1; seen.length === 0; step++) {
        expect(step).toBeLessThanOrEqual(killTriesMax);
        checkpoint = await pushOne(
          here,
          await createRun(there, repository, { name: `run-${step}`, ...lossy }),
          1,
          classifierFile(classifierWeights(step)),
        );
        const phases: string[] = [];
        for await (const { event, data } of there.follow(checkpoint)) {
          if (event === 'phase') phases.push(data.phase);
          if (event === 'trial') break;
        }
        await killed.stop('SIGKILL');
        // Phases are stored nowhere, so they come from the worker through the database.
        expect(phases).toContain('search');
        const [state, trials] = [(await here.read(checkpoint)).state, (await here.read(`${checkpoint}/trials`)).items];
        if (state === 'working') seen = trials;
        else killed = await start('work');
      }

      const killedAt = Date.now();
      const workers = await Promise.all([start('work'), start('work')]);
      await ready(here, checkpoint);
      // The job was not taken back by the dead worker's name: its lease had to end.
      expect(Date.now() - killedAt).toBeGreaterThan((leaseSeconds * 1000) / 3);
      const trials: Json[] = (await there.read(`${checkpoint}/trials`)).items;
      expect(trials.slice(0, seen.length)).toEqual(seen);
      expect(new Set(trials.map(({ config }) => JSON.stringify(config))).size).toBe(trials.length);
      await checkDownload(here, checkpoint);
      await checkDownload(there, checkpoint);

      // Two workers, two gateways, several runs at once; one worker stops in the middle.
      const pushed: string[] = [];
      for (const name of ['a', 'b', 'c']) {
        const run = await createRun(here, repository, { name, fidelity: 'exact' });
        for (let step = 0; step < 3; step++)
          pushed.push(await pushOne(step % 2 === 0 ? here : there, run, step, classifierFile(classifierWeights(step))));
      }
      await workers[0]!.stop();
      expect(workers[0]!.process.exitCode).toBe(0);
      for (const each of pushed) {
        await ready(there, each);
        await checkDownload(there, each);
      }
    },
    timeoutMs,
  );

  test(
    'on SIGTERM a gateway first says that it is not ready, still answers, then drains by phases and ends',
    async () => {
      const hub = await start('serve', { FIRN_UNREADY_S: '4', FIRN_LOG_LEVEL: 'info' });
      const api = new HubApi(hub.url);
      expect((await api.get('/readyz')).status).toBe(200);
      // Wait for `close`, not `exit`: the last output may still arrive after the exit.
      const closed = once(hub.process, 'close');
      hub.process.kill('SIGTERM');
      for (const deadline = Date.now() + 3_500; (await api.get('/readyz')).status !== 503; await pause(50))
        expect(Date.now()).toBeLessThan(deadline);
      expect((await api.get('/v1/repositories')).status).toBe(200);
      expect((await closed)[0]).toBe(0);
      const phases = hub
        .output()
        .split('\n')
        .flatMap((line) => (line.includes('"phase"') ? [JSON.parse(line) as { phase: string; msg: string }] : []));
      const ended = phases.filter(({ msg }) => msg === 'shut down').map(({ phase }) => phase);
      expect(ended[0]).toBe('say not ready');
      expect(ended.slice(-2)).toEqual(['close notices', 'close catalog']);
      expect(ended).toContain('stop accepting, finish requests');
      expect(ended).toContain('hand back jobs');
    },
    timeoutMs,
  );

  test(
    'a worker answers for itself; a role of its own needs a database, and one without this version needs firn migrate',
    async () => {
      const api = new HubApi((await start('work')).url);
      await until(async () => (await api.get('/readyz')).status === 200);
      expect([
        (await api.get('/readyz')).status,
        (await api.get('/metrics')).status,
        (await api.get('/v1/repositories')).status,
      ]).toEqual([200, 200, 404]);

      const empty = await createDatabase({ migrated: false });
      try {
        const keys = { FIRN_DATABASE_URL: empty.url, FIRN_MIGRATE: 'off' };
        expect(await run(['serve'], keys)).toEqual([
          1,
          expect.stringMatching(/^firn serve: The catalog lacks \d+ migrations of this version; run firn migrate\.\n$/),
        ]);
        expect(await run(['migrate'], keys)).toEqual([0, '']);
        const hub = await startHub({ command: 'serve', dataDirectory, environment: keys });
        await hub.stop();
        expect(await run(['work'], {})).toEqual([1, expect.stringMatching(/^firn work: .*FIRN_DATABASE_URL.*\n$/)]);
        expect(await run(['nonsense'], {})).toEqual([
          1,
          expect.stringMatching(/^firn: there is no command "nonsense"; firn --help .*\n$/),
        ]);
      } finally {
        await empty.drop();
      }
    },
    timeoutMs,
  );

  test(
    'while the database is away requests are told to come again, and after that they are served',
    async () => {
      const server = await startPostgres();
      try {
        const hub = await startHub({
          dataDirectory,
          environment: {
            FIRN_DATABASE_URL: server.url,
            FIRN_LEASE_S: String(leaseSeconds),
            FIRN_DATABASE_CONNECT_S: '2',
          },
        });
        hubs.push(hub);
        const api = new HubApi(hub.url);
        const run = await createRun(api, await createRepository(api, 'away'), { name: 'train', fidelity: 'exact' });
        await ready(api, await pushOne(api, run, 1, classifierFile(classifierWeights(1))));
        await server.stop();
        const refused = await api.get(run);
        expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true]);
        expect(JSON.parse(refused.bytes.toString())).toMatchObject({ code: 'overloaded' });
        await until(async () => (await api.get('/readyz')).status === 503);
        expect((await api.get('/healthz')).status).toBe(200);
        await server.start();
        await until(async () => (await api.get('/readyz')).status === 200);
        const checkpoint = await pushOne(api, run, 2, classifierFile(classifierWeights(2)));
        await ready(api, checkpoint);
        await checkDownload(api, checkpoint);
        await hub.stop();
      } finally {
        await server.remove();
      }
    },
    timeoutMs,
  );

  async function until(condition: () => Promise<boolean>): Promise<void> {
    for (const deadline = Date.now() + readyMs; !(await condition()); await pause(100))
      expect(Date.now()).toBeLessThan(deadline);
  }

  /** Exit code and standard error. */
  async function run(
    args: readonly string[],
    keys: Readonly<Record<string, string>>,
  ): Promise<[number | null, string]> {
    const own = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('FIRN_')));
    const env = {
      ...own,
      FIRN_DATA_DIR: dataDirectory,
      FIRN_PORT: '0',
      FIRN_ACCESS: 'open',
      FIRN_LOG_LEVEL: 'silent',
      ...keys,
    };
    const child = spawn(process.execPath, [...firnProgram, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [code] = (await once(child, 'close')) as [number | null];
    return [code, said];
  }
});
