import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { classifierFile, classifierRows, classifierWeights } from './classifier.ts';
import { createClassifierSet, createRepository, createRun, pushOne, smallSearch, unguarded } from './hub-fixtures.ts';
import { HubApi, type Json } from './hub-api.ts';
import { startHub, type Hub } from './start-hub.ts';

/** Labels and value of a sample. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

let hub: Hub;
let text: string;
let checkpoints: readonly Json[];
const files = [1, 2].map((step) => classifierFile(classifierWeights(step)));
const downloaded = { base: 0, delta: 0 };

const samples = (name: string): readonly Sample[] =>
  text.split('\n').flatMap((line) => {
    const [, found, labels = '', value] = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (found !== name) return [];
    return [
      {
        labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, set]) => [key!, set!])),
        value: Number(value),
      },
    ];
  });
/** Sum of a series over the samples with these labels; NaN if there are none. */
function total(name: string, labels: Readonly<Record<string, string>> = {}): number {
  const found = samples(name).filter((sample) =>
    Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  return found.length === 0 ? NaN : found.reduce((sum, { value }) => sum + value, 0);
}
const sumOf = (pick: (checkpoint: Json) => number): number =>
  checkpoints.reduce((sum: number, checkpoint) => sum + pick(checkpoint), 0);

/** Two pushes of a run that searches, and downloads of both, the second twice. */
beforeAll(async () => {
  hub = await startHub({ environment: { FIRN_EVAL_PARALLEL: '1' } });
  const api = new HubApi(hub.url);
  const repository = await createRepository(api, 'counted-repository');
  await createClassifierSet(api, repository, classifierRows(classifierWeights(0)));
  const thresholds = { loss: 0.05, accuracy: 0.04 };
  const run = await createRun(api, repository, {
    name: 'train',
    evalSet: 'held-out',
    thresholds,
    search: { ...smallSearch, ...unguarded, method: 'inshrinkerator' },
  });
  checkpoints = [
    await api.ready(await pushOne(api, run, 1, files[0]!)),
    await api.ready(await pushOne(api, run, 2, files[1]!)),
  ];
  for (const step of [1, 2, 2]) {
    const kind = checkpoints[step - 1].result.kind as 'base' | 'delta';
    downloaded[kind] += (await api.get(`${run}/checkpoints/${step}/files/model.safetensors`)).bytes.length;
  }
  await vi.waitFor(async () => expect((await api.read('/readyz')).workers.living).toBe(1), {
    timeout: 60_000,
    interval: 200,
  });
  text = (await api.get('/metrics')).bytes.toString();
}, 180_000);

afterAll(() => hub?.stop());

describe('after two checkpoints and three downloads the metrics say', () => {
  test('how many jobs there were, how they ended, and that none waits', () => {
    expect(total('firn_jobs', { kind: 'encode', state: 'done' })).toBe(2);
    expect(total('firn_jobs', { kind: 'encode', state: 'queued' })).toBe(0);
    expect(total('firn_jobs', { kind: 'merge', state: 'queued' })).toBe(0);
    expect(total('firn_job_seconds_count', { kind: 'encode', outcome: 'done' })).toBe(2);
    expect(total('firn_job_seconds_count')).toBe(2);
    expect(total('firn_job_oldest_queued_seconds', { kind: 'encode' })).toBe(0);
  });

  test('how many trials were made and how many a search took', () => {
    const trials = sumOf(({ result }) => result.trialCount);
    expect(trials).toBeGreaterThan(1);
    expect(total('firn_trial_seconds_count', { method: 'inshrinkerator' })).toBe(trials);
    expect(total('firn_trial_seconds_count', { outcome: 'passed' })).toBeGreaterThan(0);
    expect(total('firn_trial_seconds_sum')).toBeLessThan(total('firn_encode_phase_seconds_sum', { phase: 'search' }));
    expect([total('firn_search_evaluations_count'), total('firn_search_evaluations_sum')]).toEqual([2, trials]);
  });

  test('what phases took: no less than the checkpoints say of themselves', () => {
    for (const phase of ['read', 'search', 'encode', 'verify']) {
      expect(total('firn_encode_phase_seconds_count', { phase, outcome: 'done' }), phase).toBeGreaterThanOrEqual(2);
      expect(total('firn_encode_phase_seconds_sum', { phase }), phase).toBeCloseTo(
        sumOf(({ result }) => result.seconds[phase]),
        1,
      );
    }
    expect(total('firn_encode_phase_seconds_count', { phase: 'commit' })).toBe(2);
  });

  test('the bytes that came in, and those they are stored in', () => {
    expect(total('firn_encoded_checkpoints_total')).toBe(2);
    expect(total('firn_encoded_raw_bytes_total')).toBe(sumOf(({ result }) => result.rawBytes));
    expect(total('firn_encoded_stored_bytes_total')).toBe(sumOf(({ result }) => result.storedBytes));
    expect(total('firn_encoded_checkpoints_total', { kind: 'base' })).toBe(
      checkpoints.filter(({ result }) => result.kind === 'base').length,
    );
  });

  test('what downloads were made of', () => {
    expect(total('firn_restored_bytes_total', { kind: 'base', chain: '1' })).toBe(downloaded.base);
    // Of two downloads of one file the second is rebuilt too if it begins before the first was kept.
    const again = total('firn_restored_bytes_total', { kind: 'cached' });
    if (downloaded.delta > 0)
      expect(total('firn_restored_bytes_total', { kind: 'delta', chain: '2-4' }) + (again || 0)).toBe(downloaded.delta);
    expect(total('firn_restored_bytes_total')).toBe(downloaded.base + downloaded.delta);
    expect(total('firn_restore_first_byte_seconds_count')).toBe(3);
    expect(total('firn_restore_first_byte_seconds_sum')).toBeGreaterThan(0);
  });

  test('how the caches did', () => {
    expect(total('firn_cache_hits_total', { cache: 'index' })).toBeGreaterThan(0);
    expect(total('firn_cache_misses_total', { cache: 'index' })).toBeGreaterThanOrEqual(2);
    expect(total('firn_cache_bytes', { cache: 'index' })).toBeGreaterThan(0);
    // A search reads the blocks of an upload repeatedly.
    expect(total('firn_cache_hits_total', { cache: 'encode' })).toBeGreaterThan(
      total('firn_cache_misses_total', { cache: 'encode' }),
    );
  });

  test('what was asked of store, database and native pool', () => {
    const uploaded = files.reduce((sum, { length }) => sum + length, 0);
    expect(total('firn_store_bytes_total', { operation: 'put' })).toBeGreaterThan(uploaded);
    expect(total('firn_store_bytes_total', { operation: 'read' })).toBeGreaterThan(uploaded);
    expect(total('firn_store_seconds_count', { operation: 'put' })).toBeGreaterThanOrEqual(6);
    expect(samples('firn_store_failures_total')).toEqual([]);
    expect(total('firn_catalog_transaction_seconds_count', { outcome: 'done' })).toBeGreaterThan(4);
    expect(total('firn_database_waiting')).toBe(0);
    expect(total('firn_native_calls_total')).toBeGreaterThan(10);
    expect(total('firn_native_call_seconds_total')).toBeGreaterThan(0);
    expect(total('firn_workers')).toBe(1);
  });

  test('how the process is', () => {
    expect(total('firn_nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(total('firn_process_resident_memory_bytes')).toBeGreaterThan(10 ** 7);
  });

  test('nothing that users chose', () => {
    expect(text).not.toMatch(/counted-repository|acme|held-out/);
  });
});
