import { expect, test } from 'vitest';
import type { Catalog } from '../contract/catalog.ts';
import { freshName } from '../catalog-fixtures.test-support.ts';

/** Signs of life. */
export function processesSuite(open: () => Catalog): void {
  const announce = (id: string, does: { gateway?: boolean; worker?: boolean } = {}) =>
    open().processes.announce({ id, gateway: false, worker: false, version: '1.2.3', ...does });
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  test('nobody lives at the beginning', async () => {
    expect(await open().processes.living('worker', 60_000)).toEqual({ count: 0 });
  });

  test('processes with a recent sign of life are counted by role', async () => {
    const [both, worker, gateway] = [freshName(), freshName(), freshName()];
    await announce(both, { gateway: true, worker: true });
    await pause(60);
    await announce(worker, { worker: true });
    await announce(gateway, { gateway: true });
    const workers = await open().processes.living('worker', 60_000);
    expect(workers.count).toBe(2);
    if (!('oldestSignMs' in workers)) throw new Error('no ages');
    expect(workers.oldestSignMs).toBeGreaterThanOrEqual(50);
    expect(workers.newestSignMs).toBeLessThan(workers.oldestSignMs);
    expect(await open().processes.living('gateway', 60_000)).toMatchObject({ count: 2 });
    // A process whose claim loop stands still does not count as a worker.
    await announce(both, { gateway: true });
    expect(await open().processes.living('worker', 60_000)).toMatchObject({ count: 1 });
    await open().processes.leave(worker);
    expect(await open().processes.living('worker', 60_000)).toEqual({ count: 0 });
  });

  test('one that is silent counts as gone, and is forgotten later', async () => {
    const [silent, heard] = [freshName(), freshName()];
    await announce(silent, { worker: true });
    await pause(120);
    await announce(heard, { worker: true });
    expect(await open().processes.living('worker', 100)).toMatchObject({ count: 1 });
    expect(await open().processes.forget(60_000)).toBe(0);
    expect(await open().processes.forget(100)).toBeGreaterThan(0);
    expect(await open().processes.living('worker', 60_000)).toMatchObject({ count: 1 });
  });
}
