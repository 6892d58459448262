import { expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import { expectCode, makeCheckpoint, makeRun } from '../../catalog-fixtures.test-support.ts';

/** Runs that take no new steps, and their last checkpoints. */
export function closedRunsSuite(open: () => Catalog): void {
  test('a closed run refuses new steps until it is open again', async () => {
    const run = await makeRun(open());
    expect(run).not.toHaveProperty('closedAt');
    await makeCheckpoint(open(), run, 1);
    const closed = await open().runs.setClosed(run.id, true);
    expect(closed.closedAt).toBeInstanceOf(Date);
    expect(await open().runs.setClosed(run.id, true)).toEqual(closed);
    expect(await open().runs.get(run.id)).toEqual(closed);
    await open().transaction(async (tx) => {
      await expectCode(makeCheckpoint(tx, run, 2), 'run-closed');
      await expectCode(makeCheckpoint(tx, run, 1), 'step-exists');
    });
    expect(await open().runs.setClosed(run.id, false)).toEqual(run);
    // A refused step takes no place in the order.
    expect((await makeCheckpoint(open(), run, 2)).sequence).toBe(1);
    await expectCode(open().runs.setClosed('none', true), 'not-found');
  });

  test('the newest checkpoint of a run is the live one with the largest sequence, in whatever state', async () => {
    const run = await makeRun(open());
    expect(await open().checkpoints.newest(run.id)).toBeUndefined();
    await makeCheckpoint(open(), run, 20);
    const second = await makeCheckpoint(open(), run, 10);
    expect(await open().checkpoints.newest(run.id)).toEqual(second);
    const third = await makeCheckpoint(open(), run, 30);
    await open().checkpoints.transition(third.id, ['open'], 'cancelled');
    expect((await open().checkpoints.newest(run.id))?.step).toBe(30);
    await open().checkpoints.hide(third.id);
    expect(await open().checkpoints.newest(run.id)).toEqual(second);
  });

  test('a checkpoint can be declared the last one until its compression begins', async () => {
    const final = { thresholds: { loss: { relative: 0.001, progress: 0.1 } } };
    const { id } = await makeCheckpoint(open());
    expect(await open().checkpoints.setFinal(id, final)).not.toHaveProperty('thresholds');
    await open().checkpoints.transition(id, ['open'], 'queued', { thresholds: { loss: 0.01 } });
    expect(await open().checkpoints.setFinal(id, { exact: true })).toMatchObject({
      final: { exact: true },
      thresholds: { loss: 0.01 },
    });
    expect(await open().checkpoints.setFinal(id, final)).toMatchObject({ final, ...final });
    await open().checkpoints.transition(id, ['queued'], 'working');
    await expectCode(open().checkpoints.setFinal(id, {}), 'conflict');
    expect(await open().checkpoints.get(id)).toMatchObject({ final, ...final });
  });
}
