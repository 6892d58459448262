import { expect, test } from 'vitest';
import { freshName, makeCheckpoint, makeReady } from '../../catalog-fixtures.test-support.ts';
import type { Catalog } from '../../contract/catalog.ts';
import type { Run } from '../../contract/run-records.ts';
import { defaultSearchOptions } from '../../../checkpoint/options/search-options.ts';
import type { Usage } from '../../contract/storage/usage-records.ts';

const unlimited = { runBytesMax: 1e15, bytesMax: 1e15 };
const nothing: Usage = {
  logical: 0,
  stored: { package: 0, staged: 0, raw: 0, hub: 0, evalSet: 0, hidden: 0, pendingDeletion: 0 },
  compressed: { count: 0, rawBytes: 0, storedBytes: 0 },
  reserved: 0,
  received: 0,
  sent: 0,
};

/** Usage and quotas of namespaces. */
export function usageSuite(open: () => Catalog): void {
  const makeNamespace = async (namespace = freshName()) => {
    const repository = await open().repositories.create({ namespace, name: freshName(), type: 'model' });
    const run = await open().runs.create({
      repositoryId: repository.id,
      name: freshName(),
      fidelity: 'exact',
      thresholds: {},
      search: defaultSearchOptions,
      seed: '1',
      layerTypes: {},
    });
    return { namespace, repository, run };
  };
  const usageOf = async (namespace: string) => (await open().usage.namespaces({ limit: 10 }, [namespace]))[0];
  const upload = async (run: Run, step: number, storedBytes: number) => {
    const { id } = await makeCheckpoint(open(), run, step);
    await open().files.receive(id, {
      path: 'm',
      role: 'model',
      sizeBytes: storedBytes - 40,
      sha256: 's',
      rawKey: freshName(),
      rawStoredBytes: storedBytes,
    });
    return id;
  };
  const body = (run: Run, sizeBytes: number) => ({
    id: freshName(),
    runId: run.id,
    checkpointId: freshName(),
    sizeBytes,
    ttlMs: 60_000,
  });

  test('every stored byte is counted once, by what it is for, through the life of a checkpoint', async () => {
    const { namespace, repository, run } = await makeNamespace();
    expect(await usageOf(namespace)).toEqual({ namespace, ...nothing });
    const id = await upload(run, 1, 1000);
    expect(await usageOf(namespace)).toEqual({
      namespace,
      ...nothing,
      logical: 960,
      stored: { ...nothing.stored, staged: 1000 },
    });
    await open().checkpoints.transition(id, ['open'], 'failed');
    expect((await usageOf(namespace))!.stored).toEqual({ ...nothing.stored, raw: 1000 });

    const base = await makeReady(open(), run, 2);
    const delta = await makeReady(open(), run, 3, base.package);
    expect((await usageOf(namespace))!.stored).toEqual({ ...nothing.stored, raw: 1000, package: 22 });
    await open().checkpoints.hide(base.checkpoint.id);
    await open().checkpoints.hide(id);
    expect(await usageOf(namespace)).toMatchObject({
      logical: 0,
      stored: { ...nothing.stored, package: 11, hidden: 11, pendingDeletion: 1000 },
    });
    await open().runs.hide(run.id);
    for (const { checkpoint } of [delta, base]) await open().checkpoints.purge(checkpoint.id);
    const deleted = { ...nothing, stored: { ...nothing.stored, pendingDeletion: 1022 } };
    expect(await usageOf(namespace)).toEqual({ namespace, ...deleted });
    expect(await open().usage.repository(repository.id)).toEqual(deleted);

    const set = await open().evalSets.create({
      repositoryId: repository.id,
      name: 's',
      spec: { inputs: {}, metrics: [] },
    });
    await open().evalSets.setPart(set.id, 'graph', { key: freshName(), sha256: 's', sizeBytes: 10, storedBytes: 46 });
    await open().evalSets.setPart(set.id, 'batches', { key: freshName(), sha256: 's', sizeBytes: 10, storedBytes: 47 });
    expect((await usageOf(namespace))!.stored.evalSet).toBe(93);
  });

  test('sensitivities are no logical bytes, and two repositories of a namespace add up', async () => {
    const { namespace, repository, run } = await makeNamespace();
    const other = await makeNamespace(namespace);
    await upload(run, 1, 140);
    const id = await upload(other.run, 1, 240);
    await open().files.receive(id, {
      path: 's',
      role: 'sensitivity',
      sizeBytes: 50,
      sha256: 's',
      rawKey: freshName(),
      rawStoredBytes: 60,
    });
    expect(await usageOf(namespace)).toMatchObject({ logical: 300, stored: { staged: 440 } });
    expect(await open().usage.repository(repository.id)).toMatchObject({ logical: 100, stored: { staged: 140 } });
  });

  test('the usage of the hub is the sum of its namespaces and of pending deletions that belong to none', async () => {
    const before = await open().usage.hub();
    const { run } = await makeNamespace();
    await upload(run, 1, 340);
    await open().garbage.markOrphans([{ key: freshName(), storedBytes: 70 }]);
    const after = await open().usage.hub();
    expect(after.stored.staged - before.stored.staged).toBe(340);
    expect(after.stored.pendingDeletion - before.stored.pendingDeletion).toBe(70);
    expect(after.logical - before.logical).toBe(300);
  });

  test('namespaces are listed by name in pages, of these names or all, with those that have a quota only', async () => {
    const prefix = freshName();
    const names = [`${prefix}-a`, `${prefix}-b`, `${prefix}-c`];
    await makeNamespace(names[0]);
    await open().usage.setQuota(names[1]!, { storedBytesMax: 5 });
    await makeNamespace(names[2]);
    const listed = async (limit: number, after?: string, among?: string[]) =>
      (await open().usage.namespaces({ limit, ...(after !== undefined && { after }) }, among)).map(
        ({ namespace, quota }) => [namespace, quota?.storedBytesMax],
      );
    expect(await listed(3, prefix)).toEqual([
      [names[0], undefined],
      [names[1], 5],
      [names[2], undefined],
    ]);
    expect(await listed(1, names[0])).toEqual([[names[1], 5]]);
    expect(await listed(10, undefined, [names[2]!, 'none'])).toEqual([[names[2], undefined]]);
    expect(await listed(10, undefined, [])).toEqual([]);
    await open().usage.setQuota(names[1]!, undefined);
    expect(await listed(10, undefined, names)).toEqual([
      [names[0], undefined],
      [names[2], undefined],
    ]);
  });

  test('transfers of several processes add up, those of unknown repositories are left out', async () => {
    const { namespace, repository } = await makeNamespace();
    const transfer = { repositoryId: repository.id, received: 3, sent: 5 };
    await open().usage.addTransfers([]);
    await Promise.all(
      Array.from({ length: 8 }, () => open().usage.addTransfers([{ ...transfer, repositoryId: 'gone' }, transfer])),
    );
    expect(await usageOf(namespace)).toMatchObject({ received: 24, sent: 40 });
  });

  test('of simultaneous bodies for a namespace only as many get room as its quota allows', async () => {
    const { namespace, repository, run } = await makeNamespace();
    const other = await makeNamespace(namespace);
    const stranger = await makeNamespace();
    const set = await open().evalSets.create({
      repositoryId: repository.id,
      name: 's',
      spec: { inputs: {}, metrics: [] },
    });
    await upload(run, 1, 300);
    await open().usage.setQuota(namespace, { storedBytesMax: 750 });
    const asked = Array.from({ length: 9 }, (_, i) => {
      if (i % 3 === 0) return { id: freshName(), evalSetId: set.id, sizeBytes: 100, ttlMs: 60_000 };
      return body(i % 3 === 1 ? run : other.run, 100);
    });
    const answers = await Promise.all(asked.map((reservation) => open().bodyReservations.take(reservation, unlimited)));
    expect(answers.filter((answer) => answer === 'over-quota')).toHaveLength(5);
    expect(await usageOf(namespace)).toMatchObject({ reserved: 400, quota: { storedBytesMax: 750 } });
    expect(await open().bodyReservations.take(body(stranger.run, 10_000), unlimited)).toEqual({ takenBytes: 10_000 });
    // A growing body gets the remaining room, and keeps it when its next request is refused.
    const growing = { ...body(run, 10), aheadBytes: 1000 };
    expect(await open().bodyReservations.take(growing, unlimited)).toEqual({ takenBytes: 50 });
    expect(await open().bodyReservations.take({ ...growing, sizeBytes: 51 }, unlimited)).toBe('over-quota');
    expect((await usageOf(namespace))!.reserved).toBe(450);
  });

  test('a recorded body goes from reserved to stored in one step', async () => {
    const { namespace, run } = await makeNamespace();
    await open().usage.setQuota(namespace, { storedBytesMax: 500 });
    const first = body(run, 500);
    expect(await open().bodyReservations.take(first, unlimited)).toEqual({ takenBytes: 500 });
    expect(await open().bodyReservations.take(body(run, 1), unlimited)).toBe('over-quota');
    const { id } = await makeCheckpoint(open(), run, 1);
    await open().transaction(async (tx) => {
      await tx.files.receive(id, { path: 'm', sizeBytes: 460, sha256: 's', rawKey: freshName(), rawStoredBytes: 500 });
      await tx.bodyReservations.release(first.id);
    });
    expect(await usageOf(namespace)).toMatchObject({ reserved: 0, stored: { staged: 500 } });
    expect(await open().bodyReservations.take(body(run, 1), unlimited)).toBe('over-quota');
    await open().usage.setQuota(namespace, { storedBytesMax: 100 });
    expect((await usageOf(namespace))!.stored.staged).toBe(500);
    await open().checkpoints.discard(id);
    expect(await open().bodyReservations.take(body(run, 101), unlimited)).toBe('over-quota');
    expect(await open().bodyReservations.take(body(run, 100), unlimited)).toEqual({ takenBytes: 100 });
    await open().usage.setQuota(namespace, undefined);
    expect(await open().bodyReservations.take(body(run, 10_000), unlimited)).toEqual({ takenBytes: 10_000 });
  });
}
