import { expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import { expectCode, freshName, makeCheckpoint, makeRun } from '../../catalog-fixtures.test-support.ts';

const ttlMs = 60_000;
/** A term that has ended before it begins, in ms. */
const lapsedMs = -1_000;
const unlimited = { runBytesMax: 1e15, bytesMax: 1e15 };

/** Shared by several processes: room for arriving bodies, and chores. */
export function bodyReservationsSuite(open: () => Catalog): void {
  const reservation = (set: Partial<Parameters<Catalog['bodyReservations']['take']>[0]> = {}) => ({
    id: freshName(),
    runId: freshName(),
    checkpointId: freshName(),
    sizeBytes: 100,
    ttlMs,
    ...set,
  });

  test('of bodies that ask at once as many get room as there is for, of the run and in all', async () => {
    const runId = freshName();
    const ask = () => open().bodyReservations.take(reservation({ runId }), { ...unlimited, runBytesMax: 450 });
    const answers = await Promise.all(Array.from({ length: 12 }, ask));
    expect(answers.filter((answer) => answer === 'run-full')).toHaveLength(8);
    expect(answers.filter((answer) => typeof answer === 'object')).toEqual(
      Array.from({ length: 4 }, () => ({ takenBytes: 100 })),
    );
    // 400 bytes are reserved; all runs share the total limit.
    const others = await Promise.all(
      Array.from({ length: 5 }, () => open().bodyReservations.take(reservation(), { ...unlimited, bytesMax: 600 })),
    );
    expect(others.filter((answer) => answer === 'full')).toHaveLength(3);
  });

  test('staged bytes of unfinished checkpoints count, and so do arriving bodies', async () => {
    const run = await makeRun(open());
    const { id } = await makeCheckpoint(open(), run, 1);
    await open().files.receive(id, {
      path: 'm',
      sizeBytes: 300,
      sha256: 's',
      rawKey: freshName(),
      rawStoredBytes: 300,
    });
    const limits = { ...unlimited, runBytesMax: 450 };
    expect(await open().bodyReservations.take(reservation({ runId: run.id, sizeBytes: 151 }), limits)).toBe('run-full');
    expect(await open().bodyReservations.take(reservation({ runId: run.id, sizeBytes: 150 }), limits)).toEqual({
      takenBytes: 150,
    });
    expect(await open().bodyReservations.take(reservation({ runId: run.id, sizeBytes: 1 }), limits)).toBe('run-full');
  });

  test('a body grows only as far as there is room, and keeps what it had when refused', async () => {
    const limits = { ...unlimited, runBytesMax: 250 };
    const body = reservation({ sizeBytes: 0, aheadBytes: 100 });
    expect(await open().bodyReservations.take(body, limits)).toEqual({ takenBytes: 100 });
    expect(await open().bodyReservations.take({ ...body, sizeBytes: 200 }, limits)).toEqual({ takenBytes: 250 });
    expect(await open().bodyReservations.take({ ...body, sizeBytes: 251 }, limits)).toBe('run-full');
    expect(await open().bodyReservations.take(reservation({ runId: body.runId, sizeBytes: 1 }), limits)).toBe(
      'run-full',
    );
    await open().bodyReservations.release(body.id);
    expect(await open().bodyReservations.take(reservation({ runId: body.runId, sizeBytes: 250 }), limits)).toEqual({
      takenBytes: 250,
    });
  });

  test('the room of a gateway that died runs out, that of a living one does not', async () => {
    const runId = freshName();
    const limits = { ...unlimited, runBytesMax: 150 };
    const dead = reservation({ runId, ttlMs: lapsedMs });
    await open().bodyReservations.take(dead, limits);
    expect(await open().bodyReservations.has(dead.checkpointId)).toBe(false);
    const living = reservation({ runId });
    expect(await open().bodyReservations.take(living, limits)).toEqual({ takenBytes: 100 });
    await open().bodyReservations.renew(living.id, ttlMs);
    expect(await open().bodyReservations.has(living.checkpointId)).toBe(true);
    expect(await open().bodyReservations.take(reservation({ runId }), limits)).toBe('run-full');
  });

  test('a checkpoint whose body arrives is not stale, and is not given up as such', async () => {
    const { id, runId } = await makeCheckpoint(open());
    const untouchedSince = new Date(Date.now() + 3600_000);
    const stale = async () =>
      (await open().checkpoints.staleOpen(untouchedSince, 1000)).some((checkpoint) => checkpoint.id === id);
    expect(await stale()).toBe(true);
    const body = reservation({ runId, checkpointId: id });
    await open().bodyReservations.take(body, unlimited);
    expect(await stale()).toBe(false);
    await expectCode(open().checkpoints.discard(id, { untouchedSince }), 'conflict');
    await open().bodyReservations.release(body.id);
    await expectCode(open().checkpoints.discard(id, { untouchedSince: new Date(Date.now() - 3600_000) }), 'conflict');
    expect(await open().checkpoints.discard(id, { untouchedSince })).toEqual([]);
  });

  test('of processes that ask at once one does a chore, and nobody before its time', async () => {
    const name = freshName();
    const begun = await Promise.all(Array.from({ length: 10 }, () => open().chores.begin(name, 3600_000)));
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(await open().chores.begin(name, 3600_000)).toBe(false);
    expect(await open().chores.begin(freshName(), 3600_000)).toBe(true);
    expect(await open().chores.begin(name, 0)).toBe(true);
  });

  test('the clock is that of the records', async () => {
    const before = await open().now();
    const { createdAt } = await makeCheckpoint(open());
    const after = await open().now();
    expect(before.getTime()).toBeLessThanOrEqual(createdAt.getTime() + 1);
    expect(createdAt.getTime()).toBeLessThanOrEqual(after.getTime() + 1);
  });
}
