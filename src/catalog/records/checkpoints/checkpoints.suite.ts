import { expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import { checkpointStates, type CheckpointResult, type CheckpointState } from '../../contract/checkpoint-records.ts';
import { expectCode, makeCheckpoint, makeReady, makeRun } from '../../catalog-fixtures.test-support.ts';

export function checkpointsSuite(open: () => Catalog): void {
  test('reservations are numbered from 0 in their order, whatever the steps, also when they race', async () => {
    const run = await makeRun(open());
    const reserved = await Promise.all(
      [30, 10, 20, 50, 40].map((step) => open().checkpoints.reserve({ runId: run.id, step })),
    );
    expect(reserved.map(({ sequence }) => sequence).sort()).toEqual([0, 1, 2, 3, 4]);
    const listed = await open().checkpoints.list(run.id, { limit: 3 });
    expect(listed.map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
    expect((await open().checkpoints.list(run.id, { limit: 3, after: '2' })).map(({ sequence }) => sequence)).toEqual([
      3, 4,
    ]);
    await expectCode(open().checkpoints.list(run.id, { limit: 3, after: 'x' }), 'invalid-request');
  });

  test('a list begins with the newest on demand, and goes on from there', async () => {
    const run = await makeRun(open());
    for (const step of [30, 10, 20]) await open().checkpoints.reserve({ runId: run.id, step });
    const steps = async (page: { limit: number; after?: string }) =>
      (await open().checkpoints.list(run.id, page, 'newest')).map(({ step }) => step);
    expect(await steps({ limit: 2 })).toEqual([20, 10]);
    expect(await steps({ limit: 2, after: '1' })).toEqual([30]);
    expect(await steps({ limit: 2, after: '0' })).toEqual([]);
  });

  test('checkpoints are counted by run and state, hidden ones not', async () => {
    const [run, other, empty] = [await makeRun(open()), await makeRun(open()), await makeRun(open())];
    for (const step of [1, 2]) await makeReady(open(), run, step);
    await open().checkpoints.transition((await makeCheckpoint(open(), run, 3)).id, ['open'], 'failed');
    const hidden = await makeCheckpoint(open(), run, 4);
    await open().checkpoints.hide(hidden.id);
    await makeCheckpoint(open(), other, 1);
    const none = { open: 0, queued: 0, working: 0, ready: 0, failed: 0, cancelled: 0 };
    expect(await open().checkpoints.counts([run.id, other.id, empty.id])).toEqual(
      new Map([
        [run.id, { ...none, ready: 2, failed: 1 }],
        [other.id, { ...none, open: 1 }],
      ]),
    );
    expect(await open().checkpoints.counts([])).toEqual(new Map());
  });

  test('what blocks a checkpoint is the one being compressed, else the first unfinished one before it', async () => {
    const run = await makeRun(open());
    const a = await makeCheckpoint(open(), run, 1);
    const b = await makeCheckpoint(open(), run, 2);
    const c = await makeCheckpoint(open(), run, 3);
    const d = await makeCheckpoint(open(), run, 4);
    const blocking = async (checkpoint: typeof a) => (await open().checkpoints.blocking(checkpoint))?.step;
    expect(await open().checkpoints.blocking(c)).toMatchObject({ step: 1, state: 'open', touchedAt: expect.any(Date) });
    expect(await blocking(a)).toBeUndefined();
    await open().checkpoints.transition(a.id, ['open'], 'failed');
    expect(await blocking(c)).toBe(2);
    await open().checkpoints.transition(d.id, ['open'], 'queued');
    await open().checkpoints.transition(d.id, ['queued'], 'working');
    expect(await open().checkpoints.blocking(c)).toMatchObject({ step: 4, state: 'working' });
    await open().checkpoints.transition(d.id, ['working'], 'failed');
    await open().checkpoints.transition(b.id, ['open'], 'cancelled');
    await open().checkpoints.hide(b.id);
    expect(await blocking(c)).toBeUndefined();
    expect(await open().checkpoints.blocking({ ...c, runId: (await makeRun(open())).id })).toBeUndefined();
  });

  test('an open checkpoint has a last sign of life, any other has none', async () => {
    const run = await makeRun(open());
    const [a, b, c] = [
      await makeCheckpoint(open(), run, 1),
      await makeCheckpoint(open(), run, 2),
      await makeCheckpoint(open(), run, 3),
    ];
    await open().checkpoints.transition(b.id, ['open'], 'queued');
    const signs = await open().checkpoints.signsOfLife([a.id, b.id]);
    expect([...signs.keys()]).toEqual([a.id]);
    expect(signs.get(a.id)).toEqual((await open().checkpoints.blocking(c))!.touchedAt);
    expect(await open().checkpoints.signsOfLife([])).toEqual(new Map());
  });

  test('a live step exists once; a hidden one may be reserved again with a later number', async () => {
    const run = await makeRun(open());
    const first = await makeCheckpoint(open(), run, 7);
    expect(first).toMatchObject({ state: 'open', sequence: 0, step: 7, cancelRequested: false });
    await expectCode(makeCheckpoint(open(), run, 7), 'step-exists');
    await open().checkpoints.hide(first.id);
    expect(await open().checkpoints.find(run.id, 7)).toBeUndefined();
    expect((await open().checkpoints.get(first.id))?.deletedAt).toBeInstanceOf(Date);
    const second = await makeCheckpoint(open(), run, 7);
    expect(second.sequence).toBeGreaterThan(first.sequence);
    expect((await open().checkpoints.find(run.id, 7))?.id).toBe(second.id);
    await expectCode(open().checkpoints.reserve({ runId: 'none', step: 1 }), 'not-found');
  });

  test('racing reservations of one step have one winner', async () => {
    const run = await makeRun(open());
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => makeCheckpoint(open(), run, 9)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  const path: Readonly<Record<CheckpointState, CheckpointState[]>> = {
    open: [],
    queued: ['queued'],
    working: ['queued', 'working'],
    ready: ['queued', 'working', 'ready'],
    failed: ['failed'],
    cancelled: ['cancelled'],
  };
  const allowed: Readonly<Record<CheckpointState, CheckpointState[]>> = {
    open: ['queued', 'failed', 'cancelled'],
    queued: ['working', 'failed', 'cancelled'],
    working: ['queued', 'working', 'ready', 'failed', 'cancelled'],
    ready: [],
    failed: [],
    cancelled: [],
  };
  test.each(checkpointStates)('from %s only the documented moves are made', async (from) => {
    for (const to of checkpointStates) {
      const { id } = await makeCheckpoint(open());
      for (const state of path[from]) await open().checkpoints.transition(id, checkpointStates, state);
      const move = open().checkpoints.transition(id, checkpointStates, to);
      if (allowed[from].includes(to)) expect((await move).state).toBe(to);
      else await expectCode(move, 'conflict');
    }
  });

  test('a move needs its starting state and records the given values', async () => {
    const { id } = await makeCheckpoint(open());
    await expectCode(open().checkpoints.transition(id, ['queued', 'working'], 'working'), 'conflict');
    const queued = await open().checkpoints.transition(id, ['open'], 'queued', { revision: 'a'.repeat(40) });
    expect(queued).toMatchObject({ state: 'queued', revision: 'a'.repeat(40), committedAt: expect.any(Date) });
    expect(queued.finishedAt).toBeUndefined();
    await open().checkpoints.transition(id, ['queued'], 'working');
    const result: CheckpointResult = {
      fidelity: 'lossy',
      warnings: ['w'],
      kind: 'base',
      chainLength: 1,
      rawBytes: 2 ** 40,
      storedBytes: 12,
      trialCount: 3,
      seconds: { search: 0.5 },
      baseline: { acc: 0.9 },
      measured: { acc: Number.NEGATIVE_INFINITY },
      degradation: { acc: Number.NaN },
    };
    const finishedAt = new Date('2030-01-02T03:04:05.678Z');
    expect(await open().checkpoints.transition(id, ['working'], 'ready', { result, finishedAt })).toMatchObject({
      state: 'ready',
      result,
      finishedAt,
      revision: 'a'.repeat(40),
    });
    expect((await open().checkpoints.get(id))?.result).toEqual(result);
    await expectCode(open().checkpoints.transition('none', ['open'], 'queued'), 'not-found');
  });

  test('of two racing moves one wins', async () => {
    const { id } = await makeCheckpoint(open());
    const outcomes = await Promise.allSettled([
      open().checkpoints.transition(id, ['open'], 'queued'),
      open().checkpoints.transition(id, ['open'], 'cancelled'),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a cancel is noted on an unfinished checkpoint only', async () => {
    const run = await makeRun(open());
    const { id } = await makeCheckpoint(open(), run, 1);
    await open().checkpoints.requestCancel(id);
    expect((await open().checkpoints.get(id))?.cancelRequested).toBe(true);
    const ready = await makeReady(open(), run, 2);
    await open().checkpoints.requestCancel(ready.checkpoint.id);
    expect((await open().checkpoints.get(ready.checkpoint.id))?.cancelRequested).toBe(false);
    await expectCode(open().checkpoints.requestCancel('none'), 'not-found');
  });

  test('discarding an open checkpoint removes its files and names their objects; a committed one stays', async () => {
    const { id } = await makeCheckpoint(open());
    await open().files.announce(id, [{ path: 'waiting', role: 'other' }]);
    await open().files.receive(id, { path: 'm', sizeBytes: 1, sha256: 's', rawKey: 'raw/m', rawStoredBytes: 2 });
    expect(await open().checkpoints.discard(id)).toEqual(['raw/m']);
    expect(await open().checkpoints.get(id)).toBeUndefined();
    expect(await open().files.list(id)).toEqual([]);
    const committed = await makeCheckpoint(open());
    await open().checkpoints.transition(committed.id, ['open'], 'queued');
    await expectCode(open().checkpoints.discard(committed.id), 'conflict');
    await expectCode(open().checkpoints.discard(id), 'not-found');
  });

  test('open checkpoints go stale by their last sign of life', async () => {
    const { id } = await makeCheckpoint(open());
    const longAgo = new Date(Date.now() - 3600_000);
    const soon = new Date(Date.now() + 3600_000);
    expect((await open().checkpoints.staleOpen(longAgo, 100)).map((checkpoint) => checkpoint.id)).not.toContain(id);
    expect((await open().checkpoints.staleOpen(soon, 100)).map((checkpoint) => checkpoint.id)).toContain(id);
    // Receiving a file counts as a sign of life: the least recently touched checkpoint comes first.
    const later = await makeCheckpoint(open());
    await open().files.announce(id, [{ path: 'x', role: 'other' }]);
    const order = (await open().checkpoints.staleOpen(soon, 100)).map((checkpoint) => checkpoint.id);
    expect(order.indexOf(later.id)).toBeLessThan(order.indexOf(id));
    await open().checkpoints.transition(id, ['open'], 'queued');
    expect((await open().checkpoints.staleOpen(soon, 100)).map((checkpoint) => checkpoint.id)).not.toContain(id);
  });

  test('the newest ready checkpoints of other live runs of the repository, newest runs first', async () => {
    const own = await makeRun(open());
    const { repositoryId } = own;
    await makeReady(open(), own, 1);
    await makeReady(open(), await makeRun(open()), 1);
    const newest = async (limit = 10) => (await open().checkpoints.newestElsewhere(own, limit)).map(({ id }) => id);
    const [old, gone, hidden, empty, last] = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) => makeRun(open(), { repositoryId, name })),
    );
    const [first, second] = [await makeReady(open(), old!, 10), await makeReady(open(), old!, 5)];
    await makeCheckpoint(open(), old!, 20);
    await makeReady(open(), gone!, 1);
    await open().runs.hide(gone!.id);
    await open().checkpoints.hide((await makeReady(open(), hidden!, 1)).checkpoint.id);
    await makeCheckpoint(open(), empty!, 1);
    expect(await newest()).toEqual([second.checkpoint.id]);
    await open().checkpoints.hide(second.checkpoint.id);
    const another = await makeReady(open(), last!, 1);
    expect((await newest()).sort()).toEqual([first.checkpoint.id, another.checkpoint.id].sort());
    expect(await newest(1)).toHaveLength(1);
    const later = await makeReady(open(), await makeRun(open(), { repositoryId, name: 'later' }), 0);
    expect((await newest())[0]).toBe(later.checkpoint.id);
  });

  test('the previous ready checkpoint is the nearest below, hidden or not or live alone, with a package', async () => {
    const run = await makeRun(open());
    const first = await makeReady(open(), run, 1);
    const second = await makeReady(open(), run, 2);
    const failed = await makeCheckpoint(open(), run, 3);
    await open().checkpoints.transition(failed.id, ['open'], 'failed', { errorCode: 'internal', errorMessage: 'no' });
    const fourth = await makeCheckpoint(open(), run, 4);
    expect((await open().checkpoints.previousReady(run.id, fourth.sequence))?.id).toBe(second.checkpoint.id);
    await open().checkpoints.hide(second.checkpoint.id);
    expect((await open().checkpoints.previousReady(run.id, fourth.sequence))?.id).toBe(second.checkpoint.id);
    expect((await open().checkpoints.previousReady(run.id, fourth.sequence, { live: true }))?.id).toBe(
      first.checkpoint.id,
    );
    expect((await open().checkpoints.previousReady(run.id, second.checkpoint.sequence))?.id).toBe(first.checkpoint.id);
    expect(await open().checkpoints.previousReady(run.id, 0)).toBeUndefined();
  });

  test('a checkpoint with dependents, such as deltas and forks, or an unfinished one is not purged', async () => {
    const run = await makeRun(open());
    const base = await makeReady(open(), run, 1);
    const delta = await makeReady(open(), run, 2, base.package);
    expect(await open().checkpoints.hasDependents(base.checkpoint.id)).toBe(true);
    expect(await open().checkpoints.hasDependents(delta.checkpoint.id)).toBe(false);
    await open().checkpoints.hide(delta.checkpoint.id);
    expect(await open().checkpoints.hasDependents(base.checkpoint.id)).toBe(true);
    await expectCode(open().checkpoints.purge(base.checkpoint.id), 'conflict');
    expect(await open().checkpoints.purge(delta.checkpoint.id)).toEqual([delta.package.key]);
    expect(await open().checkpoints.get(delta.checkpoint.id)).toBeUndefined();
    expect(await open().checkpoints.hasDependents(base.checkpoint.id)).toBe(false);
    await makeRun(open(), { repositoryId: run.repositoryId, parentCheckpointId: base.checkpoint.id });
    expect(await open().checkpoints.hasDependents(base.checkpoint.id)).toBe(true);
    await expectCode(open().checkpoints.purge(base.checkpoint.id), 'conflict');
    const unfinished = await makeCheckpoint(open(), run, 3);
    await expectCode(open().checkpoints.purge(unfinished.id), 'conflict');
    await expectCode(open().checkpoints.purge('none'), 'not-found');
  });

  test('hiding forgets the raw objects and names them; the step keeps its files', async () => {
    const run = await makeRun(open());
    const { id } = await makeCheckpoint(open(), run, 1);
    await open().files.receive(id, { path: 'm', sizeBytes: 1, sha256: 's', rawKey: 'raw/hidden-m', rawStoredBytes: 2 });
    await open().files.receive(id, {
      path: 'served',
      sizeBytes: 1,
      sha256: 's',
      rawKey: 'raw/hidden-served',
      rawStoredBytes: 2,
    });
    await open().files.setResults(id, [{ path: 'served', storage: 'raw', resultSha256: 's', resultBytes: 1 }]);
    expect(await open().objects.named(['raw/hidden-m'])).toHaveLength(1);
    await open().checkpoints.transition(id, ['open'], 'failed');
    expect((await open().checkpoints.hide(id)).sort()).toEqual(['raw/hidden-m', 'raw/hidden-served']);
    expect(await open().objects.named(['raw/hidden-m'])).toEqual([]);
    expect((await open().files.list(id)).map(({ path, rawKey }) => [path, rawKey])).toEqual([
      ['m', undefined],
      ['served', undefined],
    ]);
    expect(await open().checkpoints.hide(id)).toEqual([]);
    await expectCode(open().checkpoints.hide('none'), 'not-found');
  });

  test('a checkpoint is reclaimable if it is hidden and ended and nothing builds on it', async () => {
    const run = await makeRun(open());
    const base = await makeReady(open(), run, 1);
    const delta = await makeReady(open(), run, 2, base.package);
    const forkedFrom = await makeReady(open(), run, 3);
    const fork = await makeRun(open(), {
      repositoryId: run.repositoryId,
      parentCheckpointId: forkedFrom.checkpoint.id,
    });
    await makeReady(open(), run, 4);
    const reclaimable = async (): Promise<string[]> => {
      const ours = [base, delta, forkedFrom].map(({ checkpoint }) => checkpoint.id);
      return (await open().checkpoints.reclaimable(1000)).filter((id) => ours.includes(id));
    };
    expect(await reclaimable()).toEqual([]);
    for (const { checkpoint } of [base, forkedFrom]) await open().checkpoints.hide(checkpoint.id);
    expect(await reclaimable()).toEqual([]);
    await open().checkpoints.hide(delta.checkpoint.id);
    expect(await reclaimable()).toEqual([delta.checkpoint.id]);
    await open().checkpoints.purge(delta.checkpoint.id);
    expect(await reclaimable()).toEqual([base.checkpoint.id]);
    await open().runs.hide(fork.id);
    await open().runs.purgeHidden();
    expect((await reclaimable()).sort()).toEqual([base.checkpoint.id, forkedFrom.checkpoint.id].sort());
  });

  test('a checkpoint keeps the layer types it was reserved with', async () => {
    const run = await makeRun(open());
    const { id } = await open().checkpoints.reserve({
      runId: run.id,
      step: 1,
      layerTypes: { 'a.b': 'norm', $x: 'linear' },
    });
    expect((await open().checkpoints.get(id))?.layerTypes).toEqual({ 'a.b': 'norm', $x: 'linear' });
    expect((await makeCheckpoint(open(), run, 2)).layerTypes).toBeUndefined();
  });

  test('counts name every state and leave hidden ones out', async () => {
    const before = await open().checkpoints.count();
    expect(Object.keys(before).sort()).toEqual([...checkpointStates].sort());
    const { id } = await makeCheckpoint(open());
    expect((await open().checkpoints.count()).open).toBe(before.open + 1);
    await open().checkpoints.hide(id);
    expect(await open().checkpoints.count()).toEqual(before);
  });
}
