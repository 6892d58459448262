import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint, CheckpointState } from '../../catalog/contract/checkpoint-records.ts';
import type { Trial } from '../../catalog/contract/trial-records.ts';
import { followCheckpoint, type CheckpointEvent, type FollowOptions } from './follow-checkpoint.ts';
import { createProgressBus } from './progress-bus.ts';

/** A catalog with one checkpoint whose state the test changes. */
function oneCheckpoint(state: CheckpointState | undefined) {
  const record = { state, trials: [] as Trial[] };
  const catalog = {
    checkpoints: {
      get: async () => (record.state === undefined ? undefined : ({ id: 'c', state: record.state } as Checkpoint)),
    },
    trials: { list: async () => record.trials },
  } as unknown as Catalog;
  return { record, catalog };
}

function setUp(state: CheckpointState | undefined, options: Partial<FollowOptions> = {}) {
  const { record, catalog } = oneCheckpoint(state);
  const progress = createProgressBus();
  const leaving = new AbortController();
  // Polls so rarely that a test passes only if the bus wakes the follower.
  const events = followCheckpoint({
    catalog,
    progress,
    checkpointId: 'c',
    trialsSeen: 0,
    waitsFor: async () => undefined,
    signal: leaving.signal,
    pollMs: 3_600_000,
    quietMs: 3_600_000,
    mayGoOn: async () => true,
    recheckMs: 3_600_000,
    ...options,
  });
  return { record, progress, leaving, events, next: async () => (await events.next()).value as CheckpointEvent };
}

const trial = (ordinal: number): Trial => ({ ordinal }) as Trial;

describe('followCheckpoint', () => {
  it('tells a state again once the checkpoint waits for something else', async () => {
    let step = 10;
    const waitsFor = async () => ({ step, state: 'open' as const, inWords: `waits for step ${step}` });
    const { next, leaving } = setUp('queued', { pollMs: 5, waitsFor });
    expect(await next()).toMatchObject({ type: 'state', waitsFor: { step: 10 } });
    step = 20;
    expect(await next()).toMatchObject({ type: 'state', checkpoint: { state: 'queued' }, waitsFor: { step: 20 } });
    leaving.abort();
    expect(await next()).toBeUndefined();
  });

  it('ends for one who may not know more', async () => {
    let may = true;
    const { record, next, events } = setUp('queued', { pollMs: 5, recheckMs: 0, mayGoOn: async () => may });
    expect(await next()).toMatchObject({ type: 'state', checkpoint: { state: 'queued' } });
    record.state = 'working';
    expect(await next()).toMatchObject({ type: 'state', checkpoint: { state: 'working' } });
    may = false;
    record.state = 'ready';
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('tells states, phases and trials as they happen and ends after a terminal state', async () => {
    const { record, progress, events, next } = setUp('queued');
    expect(await next()).toMatchObject({ type: 'state', checkpoint: { state: 'queued' } });
    const phase = next();
    progress.publish('c', { type: 'phase', phase: 'search' });
    expect(await phase).toEqual({ type: 'phase', note: { type: 'phase', phase: 'search' } });
    const first = next();
    record.trials.push(trial(0));
    progress.publish('c', { type: 'changed' });
    expect(await first).toMatchObject({ type: 'trial', ordinal: 1 });
    const last = next();
    record.trials.push(trial(1));
    record.state = 'ready';
    progress.publish('c', { type: 'changed' });
    expect(await last).toMatchObject({ type: 'trial', ordinal: 2 });
    expect(await next()).toMatchObject({ type: 'state', checkpoint: { state: 'ready' } });
    expect((await events.next()).done).toBe(true);
    expect(progress.listenerCount()).toBe(0);
  });

  it('finds out by polling when nothing is published', async () => {
    const { record, next, events } = setUp('working', { pollMs: 1 });
    await next();
    record.state = 'failed';
    expect(await next()).toMatchObject({ type: 'state', checkpoint: { state: 'failed' } });
    expect((await events.next()).done).toBe(true);
  });

  it('leaves out trials that were seen before', async () => {
    const { record, next } = setUp('ready', { trialsSeen: 1 });
    record.trials.push(trial(0), trial(1));
    expect(await next()).toMatchObject({ type: 'trial', ordinal: 2, trial: { ordinal: 1 } });
  });

  it('says when it is quiet', async () => {
    const { next } = setUp('working', { pollMs: 1, quietMs: 0 });
    await next();
    expect(await next()).toEqual({ type: 'quiet' });
  });

  it('ends when the checkpoint is gone', async () => {
    expect((await setUp(undefined).events.next()).done).toBe(true);
  });

  it('ends at the signal while it waits, and lets go of the bus', async () => {
    const { leaving, progress, events, next } = setUp('working');
    await next();
    const waiting = events.next();
    leaving.abort();
    expect((await waiting).done).toBe(true);
    expect(progress.listenerCount()).toBe(0);
  });

  it('does not miss what is published between two events', async () => {
    const { record, progress, next } = setUp('queued');
    await next();
    record.state = 'ready';
    progress.publish('c', { type: 'changed' });
    expect(await next()).toMatchObject({ type: 'state', checkpoint: { state: 'ready' } });
  });

  it('keeps only the newest notes for a slow follower', async () => {
    const { progress, next } = setUp('working');
    await next();
    for (let count = 0; count < 1000; count++)
      progress.publish('c', { type: 'phase', phase: 'encode', doneCount: count });
    expect(await next()).toMatchObject({ note: { doneCount: 1000 - 64 } });
  });
});
