import { expect, test } from 'vitest';
import { localNotices } from '../../catalog/notices/notices.ts';
import { createProgressBus, type ProgressNote } from './progress-bus.ts';
import { relayProgress } from './relay-progress.ts';

test('a note published at one process reaches the followers of its checkpoint at both, once', () => {
  // One channel between two buses, like a server between two processes.
  const notices = localNotices();
  const [worker, gateway] = [relayProgress(createProgressBus(), notices), relayProgress(createProgressBus(), notices)];
  const heard: [string, ProgressNote][] = [];
  worker.subscribe('c1', (note) => heard.push(['worker', note]));
  const stop = gateway.subscribe('c1', (note) => heard.push(['gateway', note]));
  gateway.subscribe('c2', (note) => heard.push(['other', note]));
  for (const nonsense of ['', 'null', '{}', '{"checkpointId":"c1"}', '{"checkpointId":"c1","note":{"type":"phase"}}'])
    notices.publish('progress', nonsense);
  worker.publish('c1', { type: 'phase', phase: 'search' });
  expect(heard).toEqual([
    ['worker', { type: 'phase', phase: 'search' }],
    ['gateway', { type: 'phase', phase: 'search' }],
  ]);
  expect(gateway.listenerCount()).toBe(2);
  stop();
  worker.publish('c1', { type: 'changed' });
  expect(heard.at(-1)).toEqual(['worker', { type: 'changed' }]);
});
