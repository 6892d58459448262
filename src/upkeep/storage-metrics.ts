import { Counter, Histogram, type Registry } from 'prom-client';
import type { RestoredBytes } from '../restore/metered-downloads.ts';
import type { CacheState } from '../restore/restorer.ts';
import type { StoreCall } from '../store/watch/metered-store.ts';
import { sampled } from './process-metrics.ts';

const callBucketSeconds = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];
const firstByteBucketSeconds = [0.002, 0.01, 0.05, 0.2, 1, 5, 30];
/** Upper bucket edges in bytes a second. */
const rateBuckets = [1e6, 1e7, 3e7, 1e8, 3e8, 1e9, 3e9];
/** Shorter answers are left out, because they say little about the rate. In bytes. */
const rateBytesMin = 1024 * 1024;

/** Counts the calls of the store of this process. */
export function storeMetrics(registry: Registry): {
  readonly onCall: (call: StoreCall) => void;
  readonly onRetry: () => void;
} {
  const registers = [registry];
  const labelNames = ['operation'] as const;
  const seconds = new Histogram({
    name: 'firn_store_seconds',
    help: 'Calls of the object store.',
    labelNames,
    buckets: callBucketSeconds,
    registers,
  });
  const failures = new Counter({
    name: 'firn_store_failures_total',
    help: 'Calls of the object store that failed.',
    labelNames,
    registers,
  });
  const bytes = new Counter({
    name: 'firn_store_bytes_total',
    help: 'Bytes of content that were put or read.',
    labelNames,
    registers,
  });
  const retries = new Counter({
    name: 'firn_store_retries_total',
    help: 'Requests to the bucket that were tried again.',
    registers,
  });
  return {
    onCall: (call) => {
      const labels = { operation: call.operation };
      seconds.observe(labels, call.seconds);
      if (call.failed) failures.inc(labels);
      if (call.bytes > 0) bytes.inc(labels, call.bytes);
    },
    onRetry: () => retries.inc(),
  };
}

/** Counts the time and bytes of rebuilding downloads; the time of slow readers is not included. */
export function restoreMetrics(registry: Registry): (restored: RestoredBytes) => void {
  const registers = [registry];
  const labelNames = ['kind', 'chain'] as const;
  const help = 'Downloads: time until the first byte, opening included.';
  const firstByte = new Histogram({
    name: 'firn_restore_first_byte_seconds',
    help,
    labelNames,
    buckets: firstByteBucketSeconds,
    registers,
  });
  const rate = new Histogram({
    name: 'firn_restore_bytes_per_second',
    help: 'Downloads of a MiB or more: bytes over the time it took to make them.',
    labelNames,
    buckets: rateBuckets,
    registers,
  });
  const bytes = new Counter({
    name: 'firn_restored_bytes_total',
    help: 'Bytes made for downloads.',
    labelNames,
    registers,
  });
  return ({ kind, chainLength, firstByteSeconds, seconds, bytes: made }) => {
    const labels = { kind, chain: chainBucket(chainLength) };
    firstByte.observe(labels, firstByteSeconds);
    bytes.inc(labels, made);
    if (made >= rateBytesMin && seconds > 0) rate.observe(labels, made / seconds);
  };
}

function chainBucket(length: number): string {
  if (length <= 1) return '1';
  if (length <= 4) return '2-4';
  if (length <= 8) return '5-8';
  return length <= 16 ? '9-16' : '17+';
}

/** Registers the state of caches, by name; read at each scrape. */
export function cacheMetrics(registry: Registry, caches: () => Readonly<Record<string, CacheState>>): void {
  const by = (name: string, help: string, type: 'gauge' | 'counter', pick: (cache: CacheState) => number): void =>
    sampled(registry, { name, help, type, labelNames: ['cache'] }, () =>
      Object.entries(caches()).map(([cache, state]) => [{ cache }, pick(state)]),
    );
  by('firn_cache_hits_total', 'Found in a cache of this process.', 'counter', ({ hits }) => hits);
  by('firn_cache_misses_total', 'Not found there.', 'counter', ({ misses }) => misses);
  by('firn_cache_evictions_total', 'Dropped to make room.', 'counter', ({ evictions }) => evictions);
  by('firn_cache_bytes', 'Bytes held now.', 'gauge', ({ usedBytes }) => usedBytes);
}
