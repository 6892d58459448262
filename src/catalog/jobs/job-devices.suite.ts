import { expect, test } from 'vitest';
import type { DeviceKind } from '../../checkpoint/device-kind.ts';
import { deviceWishes, type DeviceWish } from '../../checkpoint/options/device-wish.ts';
import type { Catalog } from '../contract/catalog.ts';
import type { DeviceClaim } from '../contract/work/job-records.ts';
import { freshName } from '../catalog-fixtures.test-support.ts';
import { claimOf } from './jobs.suite.ts';

const leaseMs = 60_000;
const longMs = 600_000;

/** Jobs that wish for a GPU, and workers with one and without. */
export function jobDevicesSuite(open: () => Catalog): void {
  const both: readonly DeviceKind[] = ['cpu', 'cuda'];
  const cpu: readonly DeviceKind[] = ['cpu'];
  const enqueue = (kind: string, device: DeviceWish, set: { orderKey?: string; orderSequence?: number } = {}) =>
    open().jobs.enqueue({ kind, subjectId: freshName(), device, ...set });
  async function claim(kind: string, devices: Partial<DeviceClaim> = {}, limit = 10): Promise<DeviceWish[]> {
    const claimed = await open().jobs.claim({
      ...{ kinds: [kind], workerId: 'w', leaseMs, limit },
      devices: { kinds: cpu, waitMs: longMs, livingMs: longMs, ...devices },
    });
    return claimed.map(({ device }) => device);
  }
  /** A worker lives while `work` runs. */
  async function whileWorkerLives(device: DeviceKind, work: () => Promise<void>): Promise<void> {
    const id = freshName();
    await open().processes.announce({ id, gateway: false, worker: true, version: '1', device });
    try {
      await work();
    } finally {
      await open().processes.leave(id);
    }
  }

  test('one with a GPU takes every job, those that wish for one first', async () => {
    const kind = freshName();
    for (const device of ['none', 'required', 'none', 'preferred'] as const) await enqueue(kind, device);
    for (const device of ['required', 'preferred', 'none', 'none'])
      expect(await claim(kind, { kinds: both }, 1)).toEqual([device]);
  });

  test('one with a GPU leaves jobs that want none behind only until they have waited for too long', async () => {
    const kind = freshName();
    for (const device of ['none', 'required'] as const) await enqueue(kind, device);
    expect(await claim(kind, { kinds: both, waitMs: 0 }, 1)).toEqual(['none']);
  });

  test('one without a GPU never takes a job that requires one', async () => {
    const kind = freshName();
    for (const device of deviceWishes) await enqueue(kind, device);
    expect(await claim(kind, { waitMs: 0 })).toEqual(['preferred', 'none']);
    expect(await claim(kind, { waitMs: 0 })).toEqual([]);
  });

  test('one without leaves a job that prefers a GPU to workers with one, while one lives', async () => {
    const kind = freshName();
    await enqueue(kind, 'preferred');
    await whileWorkerLives('cuda', async () => {
      expect(await claim(kind)).toEqual([]);
      // It has not been heard of for longer than a sign of life counts.
      await new Promise((resolve) => setTimeout(resolve, 40));
      await enqueue(kind, 'preferred');
      expect(await claim(kind, { livingMs: 20 }, 1)).toEqual(['preferred']);
      expect(await claim(kind)).toEqual([]);
    });
    expect(await claim(kind)).toEqual(['preferred']);
  });

  test('a worker without a GPU is nobody to wait for', async () => {
    const kind = freshName();
    await enqueue(kind, 'preferred');
    await whileWorkerLives('cpu', async () => expect(await claim(kind)).toEqual(['preferred']));
  });

  test('one without takes it once it has waited for too long', async () => {
    const kind = freshName();
    await enqueue(kind, 'preferred');
    await whileWorkerLives('cuda', async () => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(await claim(kind, { waitMs: longMs })).toEqual([]);
      expect(await claim(kind, { waitMs: 50 })).toEqual(['preferred']);
    });
  });

  test('the wait begins when the job before it in its order has ended', async () => {
    const [kind, orderKey] = [freshName(), freshName()];
    await enqueue(kind, 'preferred', { orderKey, orderSequence: 1 });
    await enqueue(kind, 'preferred', { orderKey, orderSequence: 2 });
    await whileWorkerLives('cuda', async () => {
      const ofGpu = { kinds: [kind], workerId: 'gpu', leaseMs, limit: 1 };
      const [first] = await open().jobs.claim({
        ...ofGpu,
        devices: { kinds: both, waitMs: longMs, livingMs: longMs },
      });
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(await waitOf(kind)).toBeUndefined();
      await open().jobs.complete(claimOf(first!));
      expect(await claim(kind, { waitMs: 300 })).toEqual([]);
      expect(await waitOf(kind)).toMatchObject({ device: 'preferred' });
      expect((await waitOf(kind))!.seconds).toBeLessThan(0.3);
      await new Promise((resolve) => setTimeout(resolve, 320));
      expect(await claim(kind, { waitMs: 300 })).toEqual(['preferred']);
    });
  });
  const waitOf = async (kind: string) => (await open().jobs.oldestQueued()).find((wait) => wait.kind === kind);

  test('a worker that has nothing claims nothing', async () => {
    const kind = freshName();
    await enqueue(kind, 'none');
    expect(await claim(kind, { kinds: [] })).toEqual([]);
  });

  test('waits are told apart by wish, running jobs by what their worker has', async () => {
    const [kind, id] = [freshName(), freshName()];
    for (const device of deviceWishes) await enqueue(kind, device);
    const waits = (await open().jobs.oldestQueued()).filter((wait) => wait.kind === kind);
    expect(new Set(waits.map(({ device }) => device))).toEqual(new Set(deviceWishes));
    await open().processes.announce({ id, gateway: false, worker: true, version: '1', device: 'cuda' });
    await open().jobs.claim({ kinds: [kind], workerId: id, leaseMs, limit: 2 });
    await open().jobs.claim({ kinds: [kind], workerId: 'unknown', leaseMs, limit: 1 });
    await open().processes.leave(freshName());
    const counted = (await open().jobs.count()).filter((each) => each.kind === kind);
    expect(new Set(counted)).toEqual(
      new Set([
        { kind, state: 'running', count: 2, worker: 'cuda' },
        { kind, state: 'running', count: 1, worker: 'cpu' },
      ]),
    );
    await open().processes.leave(id);
  });

  test('a changed wish holds for what waits in that order, and for what is queued again', async () => {
    const [kind, orderKey] = [freshName(), freshName()];
    const [first] = [await enqueue(kind, 'required', { orderKey, orderSequence: 1 })];
    await enqueue(kind, 'required', { orderKey, orderSequence: 2 });
    const apart = await enqueue(kind, 'required');
    await open().jobs.setDevice(orderKey, 'none');
    expect((await open().jobs.find(kind, first.subjectId))!.device).toBe('none');
    expect((await open().jobs.find(kind, apart.subjectId))!.device).toBe('required');
    expect(await claim(kind)).toEqual(['none']);
    await open().jobs.requestCancel(kind, apart.subjectId);
    const again = { kind, subjectId: apart.subjectId, orderKey: freshName(), orderSequence: 1 };
    expect((await open().jobs.restart({ ...again, device: 'preferred' })).device).toBe('preferred');
  });

  test('living workers are counted by device', async () => {
    await whileWorkerLives('cuda', async () => {
      const [withGpu, all] = [
        await open().processes.living('worker', longMs, 'cuda'),
        await open().processes.living('worker', longMs),
      ];
      expect([withGpu.count, all.count >= 1]).toEqual([1, true]);
    });
    expect((await open().processes.living('worker', longMs, 'cuda')).count).toBe(0);
  });
}
