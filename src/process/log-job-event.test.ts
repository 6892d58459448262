import { expect, test } from 'vitest';
import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Job } from '../catalog/contract/work/job-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { JobEvent } from '../jobs/job-event.ts';
import { logJobEvent } from './log-job-event.ts';

const catalog = {
  checkpoints: { get: async (id: string) => (id === 'c' ? { runId: 'r', step: 1200 } : undefined) },
  runs: { get: async (id: string) => (id === 'r' ? { name: 'train', repositoryId: 'p' } : undefined) },
  repositories: { get: async () => ({ namespace: 'acme', name: 'lm' }) },
} as unknown as Catalog;
const job = { id: '7', kind: 'encode', subjectId: 'c' } as Job;
const graph = new FirnError('graph-missing-weights', 'The graph lacks a weight.');
const disk = new FirnError('corrupt-object', 'A stored object is missing.');

async function logged(event: JobEvent, records = catalog) {
  const lines: object[] = [];
  const at = (level: string) => (fields: object, text: string) => void lines.push({ level, text, ...fields });
  await logJobEvent(event, records, { info: at('info'), warn: at('warn'), error: at('error') });
  return lines;
}

test.each([
  ['that only the uploader can mend is a warning', graph, true, 'warn', 'a checkpoint failed'],
  ['of the storage is an error', disk, true, 'error', 'a checkpoint failed'],
  ['that is tried again is a warning', disk, false, 'warn', 'a checkpoint could not be done and is tried again'],
] as const)('a failure %s; it names repository, run, step and reason', async (_, error, final, level, text) => {
  expect(await logged({ kind: 'failed', job, error, final })).toMatchObject([
    { level, text, repository: 'acme/lm', run: 'train', step: 1200, reason: error.message, code: error.code },
  ]);
});

test('a failure is logged without names while the catalog is out of reach', async () => {
  const away = { ...catalog, checkpoints: { get: () => Promise.reject(disk) } } as unknown as Catalog;
  expect(await logged({ kind: 'failed', job, error: disk, final: true }, away)).toMatchObject([
    { level: 'error', jobId: '7', reason: disk.message },
  ]);
});

test('what goes well is told', async () => {
  expect(await logged({ kind: 'started', job })).toMatchObject([{ level: 'info', event: 'started', jobId: '7' }]);
});
