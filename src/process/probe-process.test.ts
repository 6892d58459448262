import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Catalog } from '../catalog/contract/catalog.ts';
import { openTestCatalog } from '../catalog/test-catalog.test-support.ts';
import type { DeviceFigures } from '../native/core.ts';
import { createReadiness } from '../http/watch/readiness.ts';
import { probesOf, type ProbedParts } from './probe-process.ts';

let catalog: Catalog;
let broken: Set<string>;
let lookedMsAgo: number;
let stopping: boolean;
let device: Partial<DeviceFigures> | undefined;

beforeAll(async () => {
  catalog = await openTestCatalog();
});
afterAll(() => catalog.close());
beforeEach(async () => {
  broken = new Set();
  lookedMsAgo = 10;
  stopping = false;
  device = undefined;
  await catalog.processes.leave('worker-1');
});

const probe = (name: string) => async (): Promise<void> => {
  if (broken.has(name)) throw new Error(`${name} does not work`);
};
const announceWorker = () => catalog.processes.announce({ id: 'worker-1', gateway: false, worker: true, version: '1' });

function ask(roles: 'gateway' | 'worker' | 'both', workersMin = 0) {
  const parts = {
    catalog: Object.assign({ ...catalog }, { probe: probe('catalog') }),
    store: { probe: probe('store') },
    evaluator: { probe: probe('evaluation') },
    core: { deviceFigures: () => device },
    isGateway: roles !== 'worker',
    worker: roles === 'gateway' ? undefined : { lookedMsAgo: () => lookedMsAgo },
    workersMin,
    isStopping: () => stopping,
  } as unknown as ProbedParts;
  return createReadiness(probesOf(parts), () => undefined)();
}

describe('a gateway', () => {
  test('with a living worker is ready, and says when it was heard of', async () => {
    await announceWorker();
    expect(await ask('gateway')).toEqual({
      status: 'ready',
      checks: { process: 'ok', catalog: 'ok', store: 'ok', workers: 'ok' },
      workers: { living: 1, oldestSignSeconds: expect.any(Number), newestSignSeconds: expect.any(Number) },
    });
  });

  test('without one goes on, degraded', async () => {
    expect(await ask('gateway')).toMatchObject({
      status: 'degraded',
      checks: { workers: 'failed' },
      workers: { living: 0 },
    });
  });

  test('that needs more workers than there are is not ready', async () => {
    await announceWorker();
    expect(await ask('gateway', 1)).toMatchObject({ status: 'ready', workers: { living: 1 } });
    expect(await ask('gateway', 2)).toMatchObject({
      status: 'not-ready',
      checks: { workers: 'failed' },
      workers: { living: 1 },
    });
  });

  test.each(['catalog', 'store'])('without its %s is not ready', async (part) => {
    await announceWorker();
    broken.add(part);
    expect(await ask('gateway')).toMatchObject({ status: 'not-ready', checks: { [part]: 'failed' } });
  });

  test('that stops is not ready', async () => {
    await announceWorker();
    stopping = true;
    expect(await ask('gateway')).toMatchObject({ status: 'not-ready', checks: { process: 'failed' } });
  });
});

describe('a worker', () => {
  test('says nothing of other workers', async () => {
    expect(await ask('worker')).toEqual({
      status: 'ready',
      checks: { process: 'ok', catalog: 'ok', store: 'ok', claims: 'ok', evaluation: 'ok' },
    });
  });

  test('whose claim loop stands still is not ready', async () => {
    lookedMsAgo = 61_000;
    expect(await ask('worker')).toMatchObject({ status: 'not-ready', checks: { claims: 'failed', evaluation: 'ok' } });
  });

  test('that cannot start an evaluation is not ready', async () => {
    broken.add('evaluation');
    expect(await ask('worker')).toMatchObject({ status: 'not-ready', checks: { claims: 'ok', evaluation: 'failed' } });
  });
});

test('a process that is both goes on answering without evaluations, degraded', async () => {
  await announceWorker();
  broken.add('evaluation');
  expect(await ask('both')).toMatchObject({ status: 'degraded', checks: { evaluation: 'failed', workers: 'ok' } });
});

describe('a worker with a device', () => {
  test('is ready, and says that the device works', async () => {
    device = { lost: false, name: 'one', budgetBytes: 100, usedBytes: 30, busySeconds: 2.5, works: 7 };
    expect(await ask('worker')).toMatchObject({
      status: 'ready',
      checks: { device: 'ok' },
      device: { name: 'one', memoryBytes: 100, memoryUsedBytes: 30, busySeconds: 2.5 },
    });
    expect(await ask('gateway')).not.toHaveProperty('device');
  });

  test('goes on without it, degraded', async () => {
    device = { lost: true, lastFailure: 'it failed' };
    expect(await ask('worker')).toMatchObject({ status: 'degraded', checks: { device: 'failed' } });
    expect(await ask('gateway')).not.toHaveProperty('checks.device');
  });
});
